import Foundation
import GrainTestSupport
import HTTPServing
import SystemClients
import Testing

@testable import HTTPTransport

@Suite("Proxies", .timeLimit(.minutes(2)))
struct ProxyTests {
  private func proxy(_ environment: [String: String], _ host: String) -> Proxy? {
    ProxySettings(environment: environment).proxy(for: host)
  }

  @Test("the environment names the proxy for secure hosts, and those reached without it")
  func settings() {
    let environment = [
      "https_proxy": "http://u%40x:p@proxy.test:3128",
      "NO_PROXY": "intern.test, .lan,*.corp,1.2.3.4",
    ]
    #expect(
      proxy(environment, "bsky.social")
        == Proxy(host: "proxy.test", port: 3128, authorization: "Basic dUB4OnA="))
    for host in ["intern.test", "a.intern.test", "b.lan", "c.corp", "corp", "1.2.3.4"] {
      #expect(proxy(environment, host) == nil, "\(host)")
    }
    #expect(proxy(environment, "notintern.test") != nil)
    #expect(proxy(["HTTPS_PROXY": "proxy.test:1"], "a")?.port == 1)
    #expect(proxy(["https_proxy": "", "all_proxy": "http://p"], "a")?.port == 80)
    #expect(proxy(["all_proxy": "socks5://p:1"], "a") == nil)
    #expect(proxy(["https_proxy": "http://p", "no_proxy": "*"], "a") == nil)
    #expect(proxy([:], "a") == nil)
  }

  @Test("this machine is never reached through a proxy")
  func loopback() {
    for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1"] {
      #expect(proxy(["https_proxy": "http://p", "all_proxy": "http://p"], host) == nil)
    }
  }

  @Test("the proxy is asked for a tunnel, and then sees nothing but TLS")
  func tunnel() async throws {
    let server = try RawServer(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
    #expect(await send(through: server.port) == .failure(.cannotConnect("pds.example")))
    await server.connectionsEnded(1)
    let seen = try #require(server.received.first)
    #expect(seen.hasPrefix("CONNECT pds.example:443 HTTP/1.1\r\nHost: pds.example:443\r\n"))
    #expect(seen.contains("Proxy-Authorization: Basic eDo=\r\n\r\n\u{16}\u{3}"))
    #expect(!seen.contains("secret"))
  }

  @Test("through the tunnel the server is reached and must prove its name")
  func throughTunnel() async throws {
    let authority = try TestAuthority()
    for (names, isRight) in [("pds.example", true), ("other.example", false)] {
      let server = try await HTTPServer.start(tls: try authority.server(names)) {
        .text($0.target)
      }
      let proxy = try TunnelProxy(to: server.port)
      let outcome = await send(through: proxy.port, trusting: authority.anchors)
      switch outcome {
      case .success(let response): #expect(isRight && response.body == Array("/secret".utf8))
      case .failure(.tls): #expect(!isRight)
      case .failure: Issue.record("\(outcome)")
      }
      await server.stop()
    }
  }

  @Test("a proxy that refuses makes the host unreachable")
  func refused() async throws {
    let server = try RawServer(
      Array("HTTP/1.1 407 Auth\r\nContent-Length: 3\r\n\r\nno\n".utf8), then: .hold)
    #expect(await send(through: server.port) == .failure(.cannotConnect("pds.example")))
  }

  private func send(
    through port: Int, trusting anchors: String? = nil
  ) async -> Result<HTTPResponse, HTTPError> {
    // The name is known to the proxy only.
    let transport = SocketTransport(
      NetworkPolicy(trustAnchors: anchors), userAgent: "x", clock: .live,
      lookup: HostLookup { host throws(HTTPError) in throw .cannotFindHost(host) },
      proxies: ProxySettings(environment: ["https_proxy": "http://x@127.0.0.1:\(port)"]))
    do throws(HTTPError) {
      guard let url = URL(string: "https://pds.example/secret") else { throw .invalidURL }
      return .success(try await transport.send(HTTPRequest(url: url), nil))
    } catch {
      return .failure(error)
    }
  }
}
