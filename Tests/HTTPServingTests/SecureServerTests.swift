import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SystemClients
import Testing

@Suite("The loopback server behind TLS", .timeLimit(.minutes(2)))
struct SecureServerTests {
  /// What `curl` says to a server, and its exit status.
  private func curl(
    _ url: String, trusting anchors: String, at port: Int, _ more: String...
  ) async throws -> (status: Int32, output: String) {
    let curl = try #require(ProgramRunner.live.find("curl"))
    let host = try #require(URL(string: url)?.host())
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: curl,
        arguments: [
          "--silent", "--show-error", "--cacert", anchors, "--max-time", "20", "--connect-to",
          "\(host):\(port):127.0.0.1:\(port)",
        ] + more + [url]))
    return (result.status, String(decoding: result.output + result.errorOutput, as: UTF8.self))
  }

  private static let hasCurl = ProgramRunner.live.find("curl") != nil
  private static let hasOpenSSL = ProgramRunner.live.find("openssl") != nil

  @Test(
    "one port serves several names, each with a certificate of its own that curl accepts",
    .enabled(if: hasCurl, "curl is not on this machine"))
  func names() async throws {
    let authority = try TestAuthority()
    let tls = try ServerIdentity(
      authority.authority, names: ["pds.test", "*.example", "127.0.0.1", "::1"])
    let server = try await HTTPServer.start(tls: tls) { .text($0.headers["Host"] ?? "") }
    for name in ["pds.test", "alice.example", "deep.below.example", "PDS.test", "127.0.0.1"] {
      let answer = try await curl(
        "https://\(name):\(server.port)/", trusting: authority.anchors, at: server.port)
      #expect(answer.status == 0)
      #expect(answer.output.lowercased() == "\(name):\(server.port)".lowercased())
    }
    for name in ["plc.test", "example", "localhost"] {
      let answer = try await curl(
        "https://\(name):\(server.port)/", trusting: authority.anchors, at: server.port)
      #expect(answer.status == 35, "\(answer.output)")
      #expect(answer.output.contains("unrecognized name"), "\(answer.output)")
    }
    await server.stop()
  }

  @Test(
    "curl refuses what is expired, for another name, or signed by itself",
    .enabled(if: hasCurl, "curl is not on this machine"))
  func refusedByCurl() async throws {
    let authority = try TestAuthority()
    let wrong = [
      try authority.certificate(["a.test"], days: -1), try authority.certificate(["b.test"]),
      try authority.certificate(["*.test"]), try TestAuthority.selfSigned("a.test"),
    ]
    for certificate in wrong {
      let server = try await HTTPServer.start(tls: try ServerIdentity(certificate)) { _ in
        Issue.record("the request must not arrive")
        return .empty(status: 200)
      }
      let answer = try await curl(
        "https://a.test:\(server.port)/", trusting: authority.anchors, at: server.port)
      #expect(answer.status == 60, "\(answer.output)")
      await server.stop()
    }
  }

  @Test(
    "an authority is trusted for its own names only",
    .enabled(if: hasCurl, "curl is not on this machine"))
  func constrained() async throws {
    let authority = try TestAuthority()
    for name in ["bank.com", "test.bank.com", "127.0.0.2"] {
      let server = try await HTTPServer.start(tls: try authority.server(name)) { _ in
        .text("hello")
      }
      let answer = try await curl(
        "https://\(name):\(server.port)/", trusting: authority.anchors, at: server.port)
      #expect(answer.status == 60, "\(answer.output)")
      await server.stop()
    }
  }

  @Test(
    "a strict reader finds nothing wrong with the certificates",
    .enabled(if: hasOpenSSL, "the openssl program is not on this machine"))
  func strict() async throws {
    let authority = try TestAuthority()
    let tls = try ServerIdentity(authority.authority, names: ["*.test", "127.0.0.1"])
    let server = try await HTTPServer.start(tls: tls) { _ in .text("hello") }
    for (protocolVersion, name) in [("-tls1_2", "a.test"), ("-tls1_3", "b.test")] {
      let output = try await openSSL(
        protocolVersion, "-connect", "127.0.0.1:\(server.port)", "-servername", name, "-CAfile",
        authority.anchors, "-x509_strict", "-verify_hostname", name, "-verify_return_error")
      #expect(output.contains("Verify return code: 0 (ok)"), "\(output)")
    }
    await server.stop()
  }

  @Test(
    "the server says goodbye before it closes: nobody can cut an answer unseen",
    .enabled(if: hasOpenSSL, "the openssl program is not on this machine"))
  func goodbye() async throws {
    let authority = try TestAuthority()
    let server = try await HTTPServer.start(tls: try authority.server("a.test")) { _ in
      .text("hello")
    }
    let output = try await openSSL(
      "-connect", "127.0.0.1:\(server.port)", "-quiet", "-ign_eof",
      input: "GET / HTTP/1.0\r\n\r\n")
    #expect(output.contains("hello"))
    #expect(!output.contains("unexpected eof"), "\(output)")
    await server.stop()
  }

  private func openSSL(_ arguments: String..., input: String = "") async throws -> String {
    let program = try #require(ProgramRunner.live.find("openssl"))
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: program, arguments: ["s_client"] + arguments, input: Array(input.utf8)))
    return String(decoding: result.output + result.errorOutput, as: UTF8.self)
  }

  @Test("clients that stop in the middle of the handshake do not keep others waiting (FB-B7)")
  func slowHandshakes() async throws {
    let authority = try TestAuthority()
    // Their own time limit has a test of its own; a busy machine must not reach it here.
    let limits = HTTPServerLimits(headerTime: .seconds(300), idleTime: .seconds(300))
    let server = try await HTTPServer.start(
      limits: limits, tls: try authority.server("a.test")
    ) { _ in
      .text("quick")
    }
    var slow: [RawClient] = []
    for count in 0..<50 {
      let client = try await RawClient(port: server.port)
      // The start of a ClientHello that never ends, or nothing at all.
      if count % 2 == 0 { try await client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]) }
      slow.append(client)
    }
    #expect(try await get(server, authority) == "quick")
    #expect(server.connectionCount >= 50)
    await server.stop()
    for client in slow { #expect(try await client.receive() == "") }
  }

  @Test("a handshake has the time of a header, and plain HTTP is no handshake")
  func handshakeTime() async throws {
    let authority = try TestAuthority()
    let limits = HTTPServerLimits(headerTime: .milliseconds(200))
    let server = try await HTTPServer.start(
      limits: limits, tls: try authority.server("a.test")
    ) { _ in .text("x") }
    let silent = try await RawClient(port: server.port)
    #expect(try await silent.receive() == "")
    let plain = try await RawClient(port: server.port)
    try await plain.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    let answer = try await plain.receive()
    #expect(answer?.contains("HTTP/1.1") != true, "it was answered in the clear")
    await server.stop()
  }

  @Test("one connection too many pushes out one that has not finished its handshake")
  func connectionLimit() async throws {
    let authority = try TestAuthority()
    let server = try await HTTPServer.start(
      limits: HTTPServerLimits(connections: 2), tls: try authority.server("a.test")
    ) { _ in .text("done") }
    let first = try await RawClient(port: server.port)
    let second = try await RawClient(port: server.port)
    #expect(try await get(server, authority) == "done")
    #expect(try await first.receive() != "x", "it was closed, with or without a reset")
    await server.finish(within: .seconds(30))
    #expect(try await second.receive() == "", "finishing does not wait for a handshake")
  }

  private func get(_ server: HTTPServer, _ authority: TestAuthority) async throws -> String {
    let base = try #require(URL(string: "https://127.0.0.1:\(server.port)"))
    let http = HTTPClient.live(
      NetworkPolicy(hosts: ["a.test": base], trustAnchors: authority.anchors), userAgent: "x",
      clock: .live)
    let url = try #require(URL(string: "https://a.test/"))
    return String(decoding: try await http.send(HTTPRequest(url: url)).body, as: UTF8.self)
  }
}
