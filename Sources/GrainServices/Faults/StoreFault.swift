/// Why the data folder cannot be read or written.
package enum StoreFault: Error, Equatable, Sendable {
  /// Another core works in this folder; its process id, when the lock file names one.
  case locked(holder: Int32?)
  /// The database is damaged. It is left where it is.
  case corrupt(String)
  /// The disk is full.
  case full
  /// The folder or file cannot be written, and why.
  case unwritable(String)
  /// The store was made by a newer version; nothing was touched.
  case newer(found: Int, known: Int)
  /// The key store is there, but locked.
  case keyLocked
  /// The key that seals the vault is missing or does not fit.
  case keyUnavailable(String)
}
