import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SystemClients
import Testing

@Suite("A server that finishes", .timeLimit(.minutes(1)))
struct FinishTests {
  private let http = HTTPClient.live(
    NetworkPolicy(allowInsecureLoopback: true), userAgent: "test", clock: .live)

  private func request(_ server: HTTPServer) throws -> HTTPRequest {
    HTTPRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
  }

  @Test("what is under way is answered, what comes later is not (FB-B8)")
  func answersUnderWay() async throws {
    let entered = AsyncStream.makeStream(of: Void.self)
    let gate = AsyncStream.makeStream(of: Void.self)
    let server = try await HTTPServer.start { _ in
      entered.continuation.yield()
      for await _ in gate.stream { break }
      return .text("done")
    }
    let request = try request(server)
    let call = Task { [http] in try await http.send(request) }
    for await _ in entered.stream { break }
    let finishing = Task { await server.finish(within: .seconds(30)) }
    gate.continuation.yield()
    #expect(try await call.value.body == Array("done".utf8))
    await finishing.value
    await #expect(throws: HTTPError.self) { try await http.send(request) }
    #expect(server.connectionCount == 0)
  }

  @Test("an answer that never comes does not hold it longer than the given time")
  func gives() async throws {
    let entered = AsyncStream.makeStream(of: Void.self)
    let never = AsyncStream.makeStream(of: Void.self)
    let server = try await HTTPServer.start { _ in
      entered.continuation.yield()
      for await _ in never.stream { break }
      return .text("late")
    }
    let request = try request(server)
    let call = Task { [http] in try await http.send(request) }
    for await _ in entered.stream { break }
    await server.finish(within: .milliseconds(50))
    await #expect(throws: HTTPError.connectionLost) { try await call.value }
  }

  @Test("connections that only wait are closed at once, and a second call returns")
  func idle() async throws {
    let server = try await HTTPServer.start { _ in .text("hello") }
    _ = try await http.send(request(server))
    await server.finish(within: .seconds(30))
    await server.finish()
    await server.stop()
  }
}
