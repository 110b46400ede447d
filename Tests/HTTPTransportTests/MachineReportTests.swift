import Foundation
import HTTPTransport
import Testing

@Suite("What a machine offers requests")
struct MachineReportTests {
  @Test("addresses are found without asking anybody, and a name that cannot exist is not")
  func hosts() async {
    #expect(await HostCheck.look(up: "127.0.0.1", within: .seconds(30)) == .found(addresses: 1))
    switch await HostCheck.look(up: "no-such-host.invalid", within: .seconds(30)) {
    case .failed, .leftToProxy: break
    case .found: Issue.record("found a name that RFC 6761 reserves for nobody")
    }
  }

  @Test(
    "the anchors are those of the system's bundle",
    .enabled(
      if: FileManager.default.fileExists(atPath: "/etc/ssl/certs/ca-certificates.crt")
        && ProcessInfo.processInfo.environment["SSL_CERT_FILE"] == nil,
      "this machine keeps its anchors elsewhere"))
  func anchors() throws {
    let bundle = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
    let certificates = bundle.components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1
    #expect(try TrustStore.count() == certificates)
  }
}
