import Foundation
import HTTPServing
import SQLiteDatabase
import SystemClients

/// The certificate authority of a network: made at its first start, kept in its database so that
/// who trusts it need not be told anew, and replaced before it runs out.
enum SandboxAuthority {
  static let migrations = [
    """
    CREATE TABLE sandbox_authority (
      names TEXT PRIMARY KEY, certificate BLOB NOT NULL, private_key BLOB NOT NULL) STRICT;
    """
  ]

  /// Says whose file it is: only such a file is ever written over.
  private static let mark = "# Certificate authority of a grain-core sandbox.\n"
  private static let lifetime: TimeInterval = 30 * 86_400
  private static let reserve: TimeInterval = 3 * 86_400

  /// The authority for those names. `now` is by the machine's clock, whatever time it is in the
  /// network: clients judge certificates by theirs.
  static func load(
    for names: [String], from store: SandboxStore, now: Date
  ) async throws -> CertificateAuthority {
    let key = SQLiteValue.text(names.joined(separator: " "))
    let rows = try await store.read { database in
      try database.query(
        "SELECT certificate, private_key FROM sandbox_authority WHERE names = ?", [key])
    }
    if let row = rows.first, let certificate = row.blob("certificate"),
      let privateKey = row.blob("private_key")
    {
      let kept = try CertificateAuthority(certificate: certificate, privateKey: privateKey)
      if kept.until > now + reserve { return kept }
    }
    let made = try CertificateAuthority(
      name: "grain-core sandbox (\(names[0]))", for: names, from: now - 3600,
      until: now + lifetime)
    let values = [key, .blob(made.certificate), .blob(made.privateKey)]
    try await store.write { database in
      try database.execute("INSERT OR REPLACE INTO sandbox_authority VALUES (?, ?, ?)", values)
    }
    return made
  }

  /// Writes the certificate where clients find it.
  ///
  /// - Throws: `SandboxStartError.foreignFile` rather than write over anything else, `FileError`.
  static func publish(_ authority: CertificateAuthority, at path: String) throws {
    let there: [UInt8]
    do throws(FileError) {
      there = try PrivateFiles.read(path, limit: 1 << 20)
    } catch {
      guard case .notFound = error else { throw error }
      there = Array(mark.utf8)  // nothing to be careful with
    }
    guard there.starts(with: mark.utf8) else { throw SandboxStartError.foreignFile(path) }
    try PrivateFiles.write(Array((mark + authority.pem).utf8), to: path)
  }
}
