import ATSyntax
import ATXRPC
import GrainServices
import HTTPTransport
import Testing

@Suite("What a failed call means")
struct CallFaultTests {
  private static let host = "pds.test"
  private static let server = "as.test"
  private static let did = AccountsWorld.alice

  private static func detail(
    _ status: Int, _ error: String? = nil, _ message: String? = nil
  ) -> XRPCError.Detail {
    XRPCError.Detail(status: status, error: error, message: message)
  }

  @Test(
    "each failure keeps what the person can act on, and names the server it is about",
    arguments: [
      (
        XRPCError.sessionEnded(error: "invalid_grant", description: nil),
        CallFault.sessionExpired(did)
      ),
      (.forbidden(scope: "repo:x", detail(403)), .scopeMissing(did, scope: "repo:x")),
      (
        .forbidden(scope: nil, detail(403, "Forbidden", "no")),
        .refused(status: 403, error: "Forbidden", message: "no")
      ),
      (
        .unauthorized(detail(401, "InvalidToken", nil)),
        .refused(status: 401, error: "InvalidToken", message: nil)
      ),
      (.accountState(name: "AccountTakedown", detail(401)), .accountInactive("AccountTakedown")),
      (
        .http(detail(400, "InvalidRequest", "bad")),
        .refused(status: 400, error: "InvalidRequest", message: "bad")
      ),
      (
        .transient(detail(429), retryAfter: .seconds(9)),
        .remote(.rateLimited(host: host, retryAfter: .seconds(9)))
      ),
      (
        .transient(detail(503, nil, "busy"), retryAfter: .seconds(9)),
        .remote(.server(host: host, detail: "busy", retryAfter: .seconds(9)))
      ),
      (
        .serviceUnreachable(detail(502, "UpstreamFailure"), retryAfter: nil),
        .remote(.server(host: host, detail: "UpstreamFailure"))
      ),
      (.transport(.cancelled), .cancelled),
      (.transport(.offline), .remote(.offline)),
      (.decoding("blob"), .remote(.badResponse(host: host, detail: "blob"))),
      (
        .sessionUnavailable(reason: "x", transport: .timeout, retryAfter: nil),
        .remote(.timeout(host: server))
      ),
      (
        .sessionUnavailable(reason: "busy", transport: nil, retryAfter: .seconds(3)),
        .remote(.server(host: server, detail: "busy", retryAfter: .seconds(3)))
      ),
      (.storeFailed("full"), .store(.unwritable("full"))),
    ] as [(XRPCError, CallFault)])
  func meaning(error: XRPCError, fault: CallFault) {
    #expect(
      CallFault(error, did: Self.did, host: Self.host, authorizationHost: Self.server) == fault)
  }

  @Test(
    "a transport's failure is told apart by what the person sees",
    arguments: [
      (HTTPError.offline, RemoteFault.offline), (.cannotFindHost("x"), .unreachable(host: host)),
      (.cannotConnect("x"), .unreachable(host: host)), (.timeout, .timeout(host: host)),
      (.connectionLost, .dropped(host: host)), (.tls("expired"), .tls(host: host)),
      (.bodyTooLarge, .badResponse(host: host, detail: "the answer is too large")),
      (.addressRefused("x"), .badResponse(host: host, detail: "the address is not allowed")),
      (.badResponse("x"), .badResponse(host: host, detail: "x")),
    ] as [(HTTPError, RemoteFault)])
  func transport(error: HTTPError, fault: RemoteFault) {
    #expect(RemoteFault(error, host: Self.host) == fault)
  }

  @Test("only what comes from network and server may pass by itself")
  func transient() {
    #expect(CallFault.remote(.dropped(host: Self.host)).isTransient)
    #expect(!CallFault.remote(.tls(host: Self.host)).isTransient)
    #expect(!CallFault.sessionExpired(Self.did).isTransient)
    #expect(!CallFault.refused(status: 400, error: nil, message: nil).isTransient)
  }
}
