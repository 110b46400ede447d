import ATOAuth
import ATXRPC
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import JOSE
import StrictJSON
import SystemClients
import Testing

@Suite("Servers that take only their own newest nonce")
struct StrictServersTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private let servers = StrictServers()

  init() async throws { world = try await AccountsWorld() }

  private func session() async throws -> TokenSession {
    let grant = try world.grant(endsIn: 3600)
    _ = try await world.store.adopt(grant, missingScopes: [])
    return TokenSession(
      grant: grant, grants: GrantClient(http: servers.client, environment: world.environment),
      store: world.store, environment: world.environment,
      lead: TokenSession.RefreshLead(atLeast: .seconds(60)), onEvent: { _ in })
  }

  private func client(_ session: TokenSession) throws -> XRPCClient {
    XRPCClient(
      base: try World.url("https://pds.alice.test"), http: servers.client,
      authorization: session.authorization)
  }

  @Test("after the first contact with each, reads and refreshes in turn are never refused (FB-A2)")
  func inTurn() async throws {
    let session = try await session()
    let client = try client(session)
    for _ in 1...3 {
      _ = try await client.query(MethodNames.getSession)
      try await session.authorization.refresh(await session.authorization.currentToken())
    }
    #expect(servers.refusals == ["pds.alice.test": 1, "as.alice.test": 1])
    #expect(servers.answers == ["pds.alice.test": 4, "as.alice.test": 4])
  }

  @Test(
    "a nonce counts whatever answer brought it: the request after it is not refused (FB-A1)",
    arguments: [200, 400, 403, 404, 500, 503])
  func everyStatus(status: Int) async throws {
    let client = try client(try await session())
    _ = try await client.query(MethodNames.getSession)
    servers.nextStatus = status
    do throws(XRPCError) {
      _ = try await client.query(MethodNames.getSession)
      #expect(status == 200)
    } catch {
      #expect(status != 200, "\(error)")
    }
    _ = try await client.query(MethodNames.getSession)
    #expect(servers.refusals == ["pds.alice.test": 1])
    #expect(servers.answers == ["pds.alice.test": 4])
  }
}

/// Alice's two servers: each takes a proof only with its own newest nonce, and every answer, whatever
/// its status, brings a new one.
private final class StrictServers: Sendable {
  private struct State {
    var nonces: [String: Int] = [:]
    var refusals: [String: Int] = [:]
    var answers: [String: Int] = [:]
    var nextStatus: Int?
    var tokens = 0
  }

  private let state = Locked(State())

  var refusals: [String: Int] { state.withLock(\.refusals) }
  /// Refusals included.
  var answers: [String: Int] { state.withLock(\.answers) }

  /// How the home server answers the next proof it accepts.
  var nextStatus: Int? {
    get { state.withLock(\.nextStatus) }
    set { state.withLock { $0.nextStatus = newValue } }
  }

  var client: HTTPClient {
    HTTPClient { [self] request, sent throws(HTTPError) in
      try await ScriptedHTTP(answer(request)).client.send(request, sent)
    }
  }

  private func answer(_ request: HTTPRequest) -> ScriptedHTTP.Answer {
    let host = request.url.host() ?? ""
    return state.withLock { state in
      let expected = state.nonces[host].map { "\(host)-\($0)" }
      let next = (state.nonces[host] ?? 0) + 1
      state.nonces[host] = next
      state.answers[host, default: 0] += 1
      var headers: HTTPHeaders = ["DPoP-Nonce": "\(host)-\(next)"]
      guard let expected, Self.nonce(of: request) == expected else {
        state.refusals[host, default: 0] += 1
        if host.hasPrefix("as.") {
          return .json(#"{"error":"use_dpop_nonce"}"#, status: 400, headers: headers)
        }
        headers["WWW-Authenticate"] = #"DPoP error="use_dpop_nonce""#
        return .json(#"{"error":"use_dpop_nonce"}"#, status: 401, headers: headers)
      }
      if host.hasPrefix("as.") {
        state.tokens += 1
        return .json(
          #"{"access_token":"access-\#(state.tokens)","refresh_token":"refresh-\#(state.tokens)","#
            + #""token_type":"DPoP","expires_in":3600,"scope":"atproto"}"#, headers: headers)
      }
      defer { state.nextStatus = nil }
      return .json("{}", status: state.nextStatus ?? 200, headers: headers)
    }
  }

  private static func nonce(of request: HTTPRequest) -> String? {
    // A proof that cannot be read carries none.
    let proof = try? CompactJWS(parsing: request.headers["DPoP"] ?? "")
    return try? proof?.claims()["nonce"]?.stringValue
  }
}
