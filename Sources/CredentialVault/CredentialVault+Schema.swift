extension CredentialVault {
  /// The mark of our store (`application_id`): "grnc".
  package static let applicationID: Int32 = 0x6772_6e63

  /// The first steps of the store's one list of migrations. Whoever keeps rows of its own in the
  /// same file appends to this list and hands the whole to every connection. Once released it never
  /// grows, or later steps would change their number: a change of these tables is a step at the end
  /// of the whole list.
  package static let migrations = [
    """
    CREATE TABLE vault_key(
      id INTEGER PRIMARY KEY CHECK (id = 1),
      vault TEXT NOT NULL,
      provider TEXT NOT NULL,
      salt BLOB NOT NULL,
      nonce BLOB NOT NULL,
      wrapped BLOB NOT NULL
    ) STRICT;
    CREATE TABLE vault_row(
      label TEXT NOT NULL,
      kind TEXT NOT NULL,
      nonce BLOB NOT NULL,
      sealed BLOB NOT NULL,
      PRIMARY KEY (label, kind)
    ) STRICT, WITHOUT ROWID;
    """
  ]
}
