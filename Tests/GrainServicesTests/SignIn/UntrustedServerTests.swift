import ATSyntax
import GrainServices
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("A sign-in that meets a certificate nobody vouches for")
struct UntrustedServerTests {
  private static let resolver = "public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle"
  private let world: SignInWorld

  init() async throws { world = try await SignInWorld() }

  @Test(
    "says whose it is, at whatever step it comes, and asks nobody a second time (FB-F5)",
    arguments: [
      "plc.directory/\(AccountsWorld.alice)", "pds.alice.test/.well-known/oauth-protected-resource",
      "as.alice.test/.well-known/oauth-authorization-server", "as.alice.test/oauth/par",
    ])
  func step(address: String) async {
    world.http.answer(address, .failure(.tls("self-signed certificate")))
    let host = String(address.prefix { $0 != "/" })
    #expect(await world.start().value == .failure(.remote(.tls(host: host))))
    #expect(world.http.requests(to: address).count == 1)
    #expect(world.page.arrivalCount == 0)
  }

  @Test("says so when the code is to be exchanged; nothing is stored")
  func exchange() async {
    world.http.answer(SignInWorld.tokenEndpoint, .failure(.tls("certificate has expired")))
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    #expect(await task.value == .failure(.remote(.tls(host: "as.alice.test"))))
    #expect(world.http.requests(to: SignInWorld.tokenEndpoint).count == 1)
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test("says so when the document is read once more before the account is kept")
  func proof() async {
    let address = "plc.directory/\(AccountsWorld.alice)"
    world.http.answer(
      address,
      .didDocument(
        AccountsWorld.alice.rawValue, handle: "alice.test", pds: "https://pds.alice.test"),
      .failure(.tls("certificate has expired")))
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    #expect(await task.value == .failure(.remote(.tls(host: "plc.directory"))))
    #expect(world.http.requests(to: "as.alice.test/oauth/revoke").count == 1)
  }

  @Test(
    "at the handle's own host it is the reason when the resolver does not help either (FB-A20)",
    arguments: [
      ScriptedHTTP.Answer.refusal("HandleNotFound"), .status(503), .failure(.timeout),
      .failure(.tls("self-signed certificate")),
    ])
  func handle(answer: ScriptedHTTP.Answer) async {
    world.http.answer(
      "alice.test/.well-known/atproto-did", .failure(.tls("self-signed certificate")))
    world.http.answer(Self.resolver, answer)
    #expect(await world.start().value == .failure(.remote(.tls(host: "alice.test"))))
    #expect(world.http.requests.count == 2)
  }

  @Test("at the handle's own host it hinders nobody whom the resolver knows (G7)")
  func resolved() async {
    world.http.answer(
      "alice.test/.well-known/atproto-did", .failure(.tls("self-signed certificate")))
    world.http.answer(Self.resolver, .json(#"{"did":"\#(AccountsWorld.alice)"}"#))
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    #expect(await task.value == .success(AccountsWorld.alice.account))
  }
}
