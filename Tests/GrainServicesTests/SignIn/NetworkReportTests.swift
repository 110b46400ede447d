import ATSyntax
import GrainServices
import GrainTestSupport
import HTTPTransport
import Testing

/// What others met on this system's network library, tried on a sign-in from its handle to its tokens.
@Suite("Field reports about answers, as a whole")
struct NetworkReportTests {
  private static let addresses = [
    "plc.directory/\(AccountsWorld.alice)", "pds.alice.test/.well-known/oauth-protected-resource",
    "as.alice.test/.well-known/oauth-authorization-server", "as.alice.test/oauth/par",
    SignInWorld.tokenEndpoint,
  ]

  private let world: SignInWorld

  init() async throws { world = try await SignInWorld() }

  /// How a sign-in ends in which one address answers this, however often it is asked.
  private func outcome(
    _ address: String, _ answer: ScriptedHTTP.Answer
  ) async -> Result<AccountID, SignInError> {
    world.http.answer(address, answer)
    let task = world.start()
    if address == SignInWorld.tokenEndpoint {
      await world.page.arrivals(atLeast: 1)
      #expect(world.coordinator.offer(world.callback()) == .delivered)
    }
    return await task.value
  }

  @Test(
    "a 401 that offers Basic, wherever it comes, ends the sign-in like any other (FB-F1)",
    arguments: addresses,
    [
      "Basic realm=\"x\"", "DPoP error=\"use_dpop_nonce\", Basic realm=\"x\"",
      "DPoP error=\"invalid_token\", Basic realm=\"x\"",
    ])
  func basic(address: String, challenge: String) async {
    let answer = ScriptedHTTP.Answer.json(
      #"{"error":"unauthorized"}"#, status: 401, headers: ["WWW-Authenticate": challenge])
    guard case .failure = await outcome(address, answer) else {
      Issue.record("a 401 was taken for an answer")
      return
    }
    #expect(world.http.requests(to: address).count <= 4)
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test(
    "a redirect to a scheme or another path is an error; nothing is followed or printed (FB-F2, FB-F3)",
    arguments: addresses,
    [
      "grain://oauth/callback?code=GRAINCANARY&state=s", "pixiv://account/login?code=GRAINCANARY",
      "https://as.alice.test/elsewhere",
    ])
  func redirect(address: String, location: String) async {
    world.http.answer("as.alice.test/elsewhere", .json("{}"))
    let result = await outcome(address, .status(302, headers: ["Location": location]))
    guard case .failure(let error) = result else {
      Issue.record("a redirect was taken for an answer")
      return
    }
    #expect(!"\(error)".contains("GRAINCANARY"))
    #expect(world.http.requests(to: "as.alice.test/elsewhere").isEmpty)
    #expect(await world.accounts.state()?.accounts == [])
  }
}
