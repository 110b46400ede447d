import Foundation
import GrainTestSupport
import HTTPServing
import SystemClients
import Testing

@testable import HTTPTransport

@Suite("Names, addresses and connections", .timeLimit(.minutes(2)))
struct AddressTests {
  private func transport(
    allowLoopback: Bool = true, clock: SystemClock = .live, _ lookup: HostLookup
  ) -> SocketTransport {
    SocketTransport(
      NetworkPolicy(allowInsecureLoopback: allowLoopback), userAgent: "x", clock: clock,
      lookup: lookup, proxies: .none)
  }

  private func addresses(_ texts: String...) -> HostLookup {
    HostLookup { _ in texts.compactMap { IPAddress($0) } }
  }

  private func send(
    _ transport: SocketTransport, _ url: String, _ deadline: Duration = .seconds(15)
  ) async throws -> Result<HTTPResponse, HTTPError> {
    let request = HTTPRequest(url: try #require(URL(string: url)), deadline: deadline)
    do throws(HTTPError) {
      return .success(try await transport.send(request, nil))
    } catch {
      return .failure(error)
    }
  }

  @Test("a name with any private address is refused, and nobody is contacted")
  func privateAddress() async throws {
    let server = try RawServer(then: .hold, isEager: true)
    let url = "https://evil.example:\(server.port)/"
    for lookup in [
      addresses("127.0.0.1"), addresses("1.1.1.1", "10.0.0.1"), addresses("::ffff:127.0.0.1"),
    ] {
      let outcome = try await send(transport(allowLoopback: false, lookup), url)
      #expect(outcome == .failure(.addressRefused("evil.example")))
    }
    #expect(server.received.isEmpty)
  }

  @Test("the address that was checked is the one contacted: no second look-up, no rebinding")
  func pinned() async throws {
    let server = try RawServer(Array("HTTP/1.1 400 no TLS\r\n\r\n".utf8), isEager: true)
    let asked = Recorder<String>()
    let lookup = HostLookup { host in
      asked.record(host)
      return [IPAddress("127.0.0.1")].compactMap(\.self)
    }
    let outcome = try await send(transport(lookup), "https://name.example:\(server.port)/")
    guard case .failure(.tls) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(asked.values == ["name.example"])
    #expect(server.received.count == 1)
  }

  @Test("the next address is tried when one refuses")
  func nextAddress() async throws {
    let server = try RawServer(Array("HTTP/1.1 400 no TLS\r\n\r\n".utf8), isEager: true)
    let lookup = addresses("127.9.9.9", "::1", "127.0.0.1")
    let outcome = try await send(transport(lookup), "https://name.example:\(server.port)/")
    guard case .failure(.tls) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(server.received.count == 1)
    server.stop()
    #expect(
      try await send(transport(lookup), "https://name.example:\(server.port)/")
        == .failure(.cannotConnect("name.example")))
  }

  @Test("an address that cannot even be dialled fails at once, not at the deadline")
  func unreachable() async throws {
    let transport = SocketTransport(
      NetworkPolicy(allowPrivateAddresses: true), userAgent: "x", clock: TestClock().clock,
      lookup: addresses("255.255.255.255", "255.255.255.255"), proxies: .none)
    let outcome = try await send(transport, "https://name.example/")
    #expect([.failure(.cannotConnect("name.example")), .failure(.offline)].contains(outcome))
  }

  @Test("a name that does not exist is told from one that cannot be looked up")
  func lookupFailures() async throws {
    for error in [HTTPError.cannotFindHost("a.example"), .cannotConnect("a.example"), .offline] {
      let lookup = HostLookup { _ throws(HTTPError) in throw error }
      #expect(try await send(transport(lookup), "https://a.example/") == .failure(error))
    }
    #expect(
      try await send(transport(addresses()), "https://a.example/")
        == .failure(.cannotFindHost("a.example")))
  }

  @Test("the system knows its own names, and not those that cannot exist")
  func system() throws {
    let localhost = try HostLookup.system.addresses("localhost")
    #expect(!localhost.isEmpty && localhost.allSatisfy(\.isLoopback))
    #expect(throws: HTTPError.self) { try HostLookup.system.addresses("name.invalid") }
  }

  @Test("one look-up serves all who ask meanwhile, and half a minute after")
  func sharedLookup() async throws {
    let clock = TestClock()
    let asked = Recorder<String>()
    let book = AddressBook(
      lookup: HostLookup { host in
        asked.record(host)
        return [IPAddress("1.1.1.1")].compactMap(\.self)
      }, clock: clock.clock)
    @Sendable func find() async -> AddressBook.Answer {
      await withCheckedContinuation { continuation in
        book.find("a.example") { continuation.resume(returning: $0) }
      }
    }
    await withDiscardingTaskGroup { group in
      for _ in 0..<10 { group.addTask { _ = await find() } }
    }
    #expect(asked.values.count == 1)
    await clock.advance(by: .seconds(29))
    _ = await find()
    #expect(asked.values.count == 1)
    await clock.advance(by: .seconds(1))
    _ = await find()
    #expect(asked.values.count == 2)
  }

  @Test("the deadline also ends a look-up that hangs")
  func hangingLookup() async throws {
    let clock = TestClock()
    let gate = DispatchSemaphore(value: 0)
    let lookup = HostLookup { _ in
      gate.wait()
      return []
    }
    let transport = transport(clock: clock.clock, lookup)
    let task = Task { try await send(transport, "https://a.example/", .seconds(5)) }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(5))
    #expect(try await task.value == .failure(.timeout))
    gate.signal()
  }

  @Test("a kept connection that dies is replaced for what may be repeated, and only for that")
  func deadConnection() async throws {
    for (method, expected) in [("GET", 3), ("POST", 2)] {
      let asked = Recorder<String>()
      let server = try await HTTPServer.start { request in
        asked.record(request.method)
        var response = HTTPServerResponse.text("ok")
        if asked.values.count == 2 { response.fault = .dropBeforeAnswer }
        return response
      }
      let client = HTTPClient.loopback()
      let request = HTTPRequest(method: method, url: try server.url(), body: .none)
      #expect(try await client.send(request).status == 200)
      if method == "GET" {
        #expect(try await client.send(request).status == 200)
      } else {
        await #expect(throws: HTTPError.connectionLost) { try await client.send(request) }
      }
      #expect(asked.values.count == expected)
      await server.stop()
    }
  }

  @Test("a proof never goes out twice, not even over a new connection (wire §6)")
  func signedOnDeadConnection() async throws {
    let proofs = Recorder<String>()
    let server = try await HTTPServer.start { request in
      proofs.record(request.headers["DPoP"] ?? "")
      var response = HTTPServerResponse.text("ok")
      if proofs.values.count == 2 { response.fault = .dropBeforeAnswer }
      return response
    }
    let client = HTTPClient.loopback()
    func request(_ proof: String) throws -> HTTPRequest {
      HTTPRequest(method: "GET", url: try server.url(), headers: ["DPoP": proof])
    }
    #expect(try await client.send(request("a")).status == 200)
    await #expect(throws: HTTPError.connectionLost) { try await client.send(request("b")) }
    #expect(proofs.values == ["a", "b"])
    await server.stop()
  }

  @Test("a connection that dies on its first request is not replaced")
  func firstRequest() async throws {
    let server = try RawServer()
    await #expect(throws: HTTPError.connectionLost) {
      try await HTTPClient.loopback().send(HTTPRequest(url: try server.url()))
    }
    #expect(server.received.count == 1)
  }

  @Test("an answer that comes before the request is sent whole is the answer")
  func earlyAnswer() async throws {
    let server = try await HTTPServer.start(limits: HTTPServerLimits(bodyBytes: 1000)) { _ in
      .empty(status: 200)
    }
    let body = HTTPBody.bytes([UInt8](repeating: 1, count: 20_000_000))
    let request = HTTPRequest(method: "POST", url: try server.url(), body: body)
    #expect(try await HTTPClient.loopback().send(request).status == 413)
    await server.stop()
  }

  @Test("a file that becomes shorter while it is sent is an error")
  func shrinkingFile() throws {
    let folder = try TemporaryFolder()
    try PrivateFiles.write([1, 2, 3, 4], to: folder.path("f"))
    let source = try FileSource(folder.path("f"))
    #expect(try source.read(from: 1, atMost: 2) == [2, 3])
    #expect(try source.read(from: 2, atMost: 10) == [3, 4])
    #expect(try source.read(from: 4, atMost: 10) == [])
    truncate(folder.path("f"), 2)
    #expect(throws: HTTPError.fileUnreadable(folder.path("f"))) {
      try source.read(from: 2, atMost: 2)
    }
  }

  @Test("connections end with the client that made them")
  func clientEnds() async throws {
    let server = try RawServer(
      Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), then: .hold)
    do {
      _ = try await HTTPClient.loopback().send(HTTPRequest(url: try server.url()))
    }
    await server.connectionsEnded(1)
  }
}
