import ATSyntax
import ATXRPC
import Foundation
import GrainTestSupport
import HTTPTransport
import StrictJSON
import Testing

@Suite("Calls that fail")
struct CallFailureTests {
  private let getFeed: NSID
  private let createRecord: NSID

  init() throws {
    getFeed = try NSID("dev.hatk.getFeed")
    createRecord = try NSID("com.atproto.repo.createRecord")
  }

  private func failure(
    of answer: ScriptedHTTP.Answer, calling method: NSID? = nil
  ) async throws -> XRPCError? {
    let account = Account()
    let network = ScriptedHTTP(answer)
    let client = try account.client(network)
    let error = await #expect(throws: XRPCError.self) {
      try await client.procedure(method ?? createRecord, [:])
    }
    #expect(network.requests.count == 1)
    #expect(account.refreshes == 0)
    return error
  }

  @Test("a plain refusal is told in the server's words and not repeated (G91)")
  func refused() async throws {
    let error = try await failure(
      of: .json(#"{"error":"InvalidSwap","message":"Commit was at bafy"}"#, status: 400))
    #expect(error == .http(.init(status: 400, error: "InvalidSwap", message: "Commit was at bafy")))
    #expect(error?.isTransient == false)
    #expect(error?.mayHaveLanded == false)
  }

  @Test("a missing scope is named and never refreshes (G109, A29)")
  func scope() async throws {
    let error = try await failure(
      of: .json(
        #"{"error":"ScopeMissingError","message":"Missing required scope \"repo:a.b.c?action=update\""}"#,
        status: 403))
    guard case .forbidden(scope: "repo:a.b.c?action=update", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let other = try await failure(of: .json(#"{"error":"Forbidden"}"#, status: 403))
    #expect(other == .forbidden(scope: nil, .init(status: 403, error: "Forbidden")))
  }

  @Test(
    "an account's state is not taken for an expired token (G41)",
    arguments: ["AccountTakedown", "AccountDeactivated"])
  func accountState(name: String) async throws {
    let error = try await failure(of: .json(#"{"error":"\#(name)","message":"m"}"#, status: 401))
    #expect(error == .accountState(name: name, .init(status: 401, error: name, message: "m")))
  }

  @Test(
    "overload and faults may pass, and a write may have landed (G108)",
    arguments: [(408, true), (425, true), (429, false), (500, true), (503, true), (599, true)])
  func transient(status: Int, mayHaveLanded: Bool) async throws {
    let error = try await failure(of: .status(status, headers: ["Retry-After": "42"]))
    #expect(error == .transient(.init(status: status), retryAfter: .seconds(42)))
    #expect(error?.isTransient == true)
    #expect(error?.retryAfter == .seconds(42))
    #expect(error?.mayHaveLanded == mayHaveLanded)
  }

  @Test("without Retry-After the end of the rate limit counts, in the server's time")
  func rateLimit() async throws {
    let error = try await failure(
      of: .status(
        429,
        headers: [
          "RateLimit-Reset": "1772366430", "Date": "Sun, 01 Mar 2026 12:00:00 GMT",
        ]))
    #expect(error?.retryAfter == .seconds(30))
  }

  @Test("no answer is told apart from a refusal; whether a write landed is then open")
  func transport() async throws {
    for (cause, isTransient, mayHaveLanded) in [
      (HTTPError.connectionLost, true, true), (.timeout, true, true), (.offline, true, false),
      (.tls("x"), false, false), (.bodyTooLarge, false, true), (.cancelled, false, true),
    ] {
      let error = try await failure(of: .failure(cause))
      #expect(error == .transport(cause))
      #expect(error?.isTransient == isTransient)
      #expect(error?.mayHaveLanded == mayHaveLanded)
    }
  }

  @Test("a read whose connection breaks is asked once more, signed anew; a write is not")
  func brokenConnection() async throws {
    let signatures = Recorder<String>()
    var authorization = Account().authorization
    authorization.sign = { request throws(XRPCError) in
      var request = request
      request.headers["DPoP"] = "proof-\(signatures.values.count)"
      signatures.record(request.method)
      return .init(request: request, token: .init("0"), nonce: nil)
    }
    func client(_ network: ScriptedHTTP) throws -> XRPCClient {
      XRPCClient(
        base: try CallFixture.url("https://pds.test"), http: network.client,
        authorization: authorization)
    }
    let network = ScriptedHTTP(.failure(.connectionLost), .json("{}"))
    _ = try await client(network).query(getFeed)
    #expect(network.proofs == ["proof-0", "proof-1"])

    let broken = ScriptedHTTP(.failure(.connectionLost), .failure(.connectionLost))
    await #expect(throws: XRPCError.transport(.connectionLost)) {
      try await client(broken).query(getFeed)
    }
    #expect(broken.requests.count == 2)

    let writing = ScriptedHTTP(.failure(.connectionLost))
    await #expect(throws: XRPCError.transport(.connectionLost)) {
      try await client(writing).procedure(createRecord, [:])
    }
    #expect(writing.requests.count == 1)
  }

  @Test("a service the home server cannot reach is no sign-out (FB-A33)")
  func serviceUnreachable() async throws {
    let unresolved =
      #"{"error":"InvalidRequest","message":"could not resolve proxy did service url"}"#
    let upstream = #"{"error":"UpstreamFailure","message":"Upstream service unreachable"}"#
    for (body, status) in [(unresolved, 400), (upstream, 502)] {
      let error = try await failure(of: .json(body, status: status), calling: getFeed)
      guard case .serviceUnreachable = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(error?.isTransient == true)
      guard case .serviceUnreachable = try await failure(of: .json(body, status: status)) else {
        continue
      }
      Issue.record("a call the home server answers itself has no service behind it")
    }
  }

  @Test("a redirect is an error, not a GET (FB-F3)")
  func redirect() async throws {
    let error = try await failure(of: .status(302, headers: ["Location": "https://evil.test/"]))
    #expect(error == .http(.init(status: 302)))
  }

  @Test("success with something else than JSON is a decoding error")
  func notJSON() async throws {
    let error = try await failure(
      of: .response(HTTPResponse(status: 200, body: Array("<html>".utf8))))
    #expect(error == .decoding("the body is no JSON"))
    #expect(error?.mayHaveLanded == true)
  }

  @Test("a server that echoes token or proof gets neither into the error (FB-A34)")
  func echo() async throws {
    let error = try await failure(
      of: .json(
        #"{"error":"InvalidRequest","message":"bad token-number-0 and proof-with-nonce-none\u001b"}"#,
        status: 400))
    #expect(error == .http(.init(status: 400, error: "InvalidRequest", message: "bad … and …")))
  }

  @Test("without credentials a 401 is an ordinary error")
  func signedOut() async throws {
    let network = ScriptedHTTP(CallFixture.challenge("invalid_token", nonce: "n1"))
    let client = XRPCClient(base: try CallFixture.url("https://grain.test"), http: network.client)
    await #expect(
      throws: XRPCError.http(.init(status: 401, error: "invalid_token", message: "x"))
    ) { try await client.query(getFeed) }
    #expect(network.requests.count == 1)
  }
}
