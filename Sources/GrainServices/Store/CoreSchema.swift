import CredentialVault

/// The one ordered list of migrations of `core.sqlite`: the vault's tables first, then ours.
package enum CoreSchema {
  /// Never edited once released; a change is a new entry.
  package static let migrations: [String] =
    CredentialVault.migrations + [
      """
      CREATE TABLE account (
        did TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE TABLE setting (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT;
      CREATE TABLE draft (
        id TEXT PRIMARY KEY,
        repo TEXT NOT NULL,
        created_at TEXT NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE TABLE draft_photo (
        draft TEXT NOT NULL REFERENCES draft (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (draft, id)
      ) STRICT;
      """,
      """
      CREATE TABLE revocation (
        id TEXT PRIMARY KEY,
        added_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL
      ) STRICT;
      """,
      // Accounts of several providers: what was named by its DID is named by an id of its own.
      """
      ALTER TABLE account RENAME COLUMN did TO id;
      UPDATE account
        SET body = json_set(json_remove(body, '$.did'), '$.id', json_extract(body, '$.did'))
        WHERE json_valid(body);
      UPDATE setting SET name = 'activeAccount' WHERE name = 'activeDID';
      ALTER TABLE revocation ADD COLUMN provider TEXT NOT NULL DEFAULT 'grain';
      """,
    ]
}
