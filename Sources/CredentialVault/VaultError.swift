package import SQLiteDatabase

/// Why a secret could not be read or kept. None of these means that an account is signed out, and
/// after none of them anything was overwritten.
package enum VaultError: Error, Equatable, Sendable {
  /// The key store is locked; unlocking it and trying again helps.
  case locked(provider: String)
  /// The key store cannot be reached, and why, in words for a person who may repair it.
  case keyUnavailable(provider: String, reason: String? = nil)
  /// The key store answers and has no key, but there is a vault that needs one.
  case keyMissing(provider: String)
  /// The key is not the one this vault was made with, or is damaged.
  case wrongKey(provider: String)
  /// There is a key but no vault: the store was lost or cut to nothing.
  case keyWithoutVault(provider: String)
  /// The store, or one row of it, is damaged.
  case corrupt(String)
  /// A newer program wrote the store.
  case newer(found: Int, known: Int)
  /// The store belongs to another program.
  case foreign
  /// There is no room left.
  case full
  /// The store or the key cannot be opened or written.
  case unwritable(String)
  /// Somebody else holds the store's lock; trying again may help.
  case busy
  /// Anything else, worded for a log.
  case other(String)

  /// What a failure of the database means for the vault in it.
  package init(_ error: SQLiteError) {
    switch error {
    case .busy: self = .busy
    case .full: self = .full
    case .readOnly: self = .unwritable("read-only")
    case .cannotOpen(let reason): self = .unwritable(reason)
    case .corrupt(let reason): self = .corrupt(reason)
    case .notADatabase: self = .corrupt("not a database")
    case .newerSchema(let found, let known): self = .newer(found: found, known: known)
    case .foreignApplication: self = .foreign
    case .constraint(let reason): self = .other(reason)
    case .other(let code, let message): self = .other("\(message) (\(code))")
    }
  }

  /// Runs a piece of database work and says in the vault's terms why it failed.
  static func translating<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(VaultError) -> Result {
    do {
      return try body()
    } catch {
      throw VaultError(error)
    }
  }
}
