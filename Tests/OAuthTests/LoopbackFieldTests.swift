import Foundation
import GrainTestSupport
import Glibc
import HTTPServing
import OAuth
import SystemClients
import Testing

/// What browsers, other programs and strangers do at a port of ours, as it was seen in the field.
@Suite("A loopback receiver in the field", .timeLimit(.minutes(1)))
struct LoopbackFieldTests {
  private let clock = TestClock()

  private func start(
    hosts: [String] = ["127.0.0.1", "::1"], timeout: Duration = .seconds(900)
  ) async throws -> (LoopbackReceiver, port: Int) {
    let receiver = try await LoopbackReceiver.start(
      hosts: hosts, timeout: timeout, clock: clock.clock)
    return (receiver, try #require(receiver.route.port))
  }

  /// A receiver, and a stranger at the same port of the other family.
  private struct Neighbours {
    let receiver: LoopbackReceiver
    let port: Int
    let stranger: HTTPServer
  }

  private func neighbours(
    _ own: String, _ foreign: String, _ heard: Recorder<String>
  ) async throws -> Neighbours {
    // Among many tests somebody else may have that port already.
    for _ in 0..<10 {
      let receiver = try await start(hosts: [own])
      let stranger = try? await HTTPServer.start(host: foreign, port: receiver.port) { request in
        heard.record(request.target)
        return .html("stranger")
      }
      if let stranger {
        return Neighbours(receiver: receiver.0, port: receiver.port, stranger: stranger)
      }
    }
    throw HTTPServerError.portInUse(0)
  }

  @Test("a foreign program on the same port of the other family hears nothing (FB-B2)")
  func foreignFamily() async throws {
    for (own, foreign) in [("127.0.0.1", "::1"), ("::1", "127.0.0.1")] {
      let heard = Recorder<String>()
      let pair = try await neighbours(own, foreign, heard)
      let (receiver, port) = (pair.receiver, pair.port)
      let host = own == "::1" ? "[::1]:\(port)" : "127.0.0.1:\(port)"
      #expect(receiver.redirectURI == "http://\(host)/callback")
      let answer = try await RawPeer(own, port).say(
        "GET /callback?state=s&code=c HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200"))
      #expect(try await receiver.callback().code == "c")
      #expect(heard.values.isEmpty)
      await pair.stranger.stop()
    }
  }

  @Test("where only IPv4 can be bound, the redirect says so (FB-B2)")
  func onlyIPv4() async throws {
    let (receiver, port) = try await start(hosts: ["192.0.2.1", "127.0.0.1"])
    #expect(receiver.redirectURI == "http://127.0.0.1:\(port)/callback")
    await receiver.cancel()
  }

  @Test("a preflight and a look with the right parameters use nothing up (FB-B4)")
  func preflight() async throws {
    let (receiver, port) = try await start()
    let target = "/callback?state=s&code=c"
    for method in ["OPTIONS", "HEAD"] {
      let answer = try await RawPeer("127.0.0.1", port).say(
        """
        \(method) \(target) HTTP/1.1\r
        Host: 127.0.0.1:\(port)\r
        Origin: https://as.test\r
        Access-Control-Request-Method: GET\r
        Access-Control-Request-Private-Network: true\r
        \r

        """)
      #expect(answer.hasPrefix("HTTP/1.1 405"))
      #expect(!answer.lowercased().contains("access-control-allow"))
    }
    let answer = try await RawPeer("127.0.0.1", port).say(
      "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(try await receiver.callback().code == "c")
  }

  @Test("floods, endless headers and slow ones do not end the wait (FB-B7)")
  func floods() async throws {
    let (receiver, port) = try await start()
    let slow = try (0..<200).map { _ in try RawPeer("127.0.0.1", port) }
    // Most of them are hung up on: there is room for few.
    for peer in slow { try? await peer.send("G") }
    let endless = try RawPeer("127.0.0.1", port)
    // It may be hung up on before all is sent.
    try? await endless.send(
      "GET /callback?state=s&code=c HTTP/1.1\r\nX: \(String(repeating: "y", count: 1_000_000))")
    let answer = try await RawPeer("127.0.0.1", port).say(
      "GET /callback?state=s&code=c HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(try await receiver.callback().code == "c")
  }

  @Test(
    "nobody reaches it over a network (FB-B7)",
    .enabled(if: RawPeer.networkAddress != nil, "this machine has no address but loopback"))
  func network() async throws {
    let (receiver, port) = try await start()
    let address = try #require(RawPeer.networkAddress)
    #expect(throws: POSIXError(.ECONNREFUSED)) { try RawPeer(address, port) }
    await receiver.cancel()
  }

  @Test("a person may take minutes, and their browser may keep the connection (FB-B8)")
  func lateAndKeptAlive() async throws {
    let (receiver, port) = try await start()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(90))
    let peer = try RawPeer("127.0.0.1", port)
    try await peer.send(
      """
      GET /callback?state=s&code=c HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Connection: keep-alive\r
      \r

      """)
    // The other side keeps its socket open all the while.
    #expect(try await receiver.callback().code == "c")
    let answer = try await peer.receive()
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(answer.hasSuffix("</html>"))
    #expect(throws: POSIXError(.ECONNREFUSED)) { try RawPeer("127.0.0.1", port) }
    withExtendedLifetime(peer) {}
  }
}
