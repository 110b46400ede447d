package import HTTPTransport
import SystemClients

/// A certificate authority of one test, made with the `openssl` program.
package struct TestAuthority {
  /// Whether this machine has the program.
  package static let isPossible = ProgramRunner.live.find("openssl") != nil
  /// Why a test that needs an authority was skipped.
  package static let skipReason = "the openssl program is not on this machine"

  private let folder: TemporaryFolder

  /// A new authority.
  package init() async throws {
    folder = try TemporaryFolder()
    try await openssl(
      "req", "-x509", "-subj", "/CN=Test Authority", "-days", "30", "-out", anchors,
      "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", folder.path("ca.key"))
  }

  /// The file that makes a client trust this authority.
  package var anchors: String { folder.path("ca.pem") }

  /// What a server needs to prove the names (`DNS:a.test,IP:127.0.0.1`); with negative days the
  /// certificate has expired.
  package func server(_ names: String, days: Int = 30) async throws -> TLSContext {
    try PrivateFiles.write(
      Array("subjectAltName=\(names)\nextendedKeyUsage=serverAuth\n".utf8), to: folder.path("ext"))
    try await openssl(
      "req", "-subj", "/CN=server", "-out", folder.path("csr"), "-keyout", folder.path("key"))
    try await run(
      "x509", "-req", "-in", folder.path("csr"), "-CA", anchors, "-CAkey", folder.path("ca.key"),
      "-CAcreateserial", "-days", "\(days)", "-extfile", folder.path("ext"), "-out",
      folder.path("pem"))
    return try TLSContext(certificate: folder.path("pem"), privateKey: folder.path("key"))
  }

  private func openssl(_ arguments: String...) async throws {
    try await run(
      [arguments[0], "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        + arguments.dropFirst())
  }

  private func run(_ arguments: String...) async throws { try await run(arguments) }

  private func run(_ arguments: [String]) async throws {
    let program = ProgramRunner.live.find("openssl") ?? ""
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(executable: program, arguments: arguments))
    guard result.status == 0 else {
      throw HTTPError.tls(String(decoding: result.errorOutput, as: UTF8.self))
    }
  }
}
