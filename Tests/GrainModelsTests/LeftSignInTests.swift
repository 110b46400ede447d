import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("A sign-in that an earlier run left at its page")
struct LeftSignInTests {
  private let gate = Gate()

  private func model(
    _ left: LeftSignIn?,
    offers: [ProviderOffer] = [ProviderOffer(provider: .grain, needs: .handle)]
  ) -> LoginModel {
    let gate = gate
    return LoginModel(
      signIn: SignInDoor(
        run: { _, _, _ throws(SignInError) in throw .busy },
        left: { left },
        resume: { step throws(SignInError) in
          await gate.pass()
          throw Task.isCancelled ? .cancelled : .expired
        }, deliver: { _ in .delivered }, providers: { offers }),
      operations: OperationCenter())
  }

  private static let left = LeftSignIn(
    target: .name("alice.test"), name: "alice.test", host: "as.alice.test")

  @Test("is shown as waiting for its browser: its callback is taken, and it can be given up (A17)")
  func waiting() async throws {
    let login = model(Self.left)
    await login.resumeLeft()
    #expect(
      login.snapshot
        == LoginSnapshot(
          status: .waiting, phase: .waitingForBrowser, can: [.loginCancel, .loginCallback],
          operation: "op-1", handle: "alice.test", serverHost: "as.alice.test"))
    #expect(try login.callback("social.grain:/oauth/callback?state=x").joined)
    _ = try login.cancel()
    gate.open()
    while login.snapshot.operation != nil { await Task.yield() }
    #expect(login.snapshot.phase == .signedOut)
    #expect(login.snapshot.problem == nil)
  }

  @Test("whose time is over is told of once, with the name ready for another try (A18)")
  func expired() async throws {
    let login = model(
      LeftSignIn(
        target: .name("alice.test"), name: "alice.test", host: "as.alice.test", isExpired: true))
    await login.resumeLeft()
    #expect(login.snapshot.phase == .failed)
    #expect(login.snapshot.problem?.kind == .loginExpired)
    #expect(login.snapshot.handle == "alice.test")
    #expect(login.snapshot.operation == nil)
    _ = try login.dismissProblem()
    #expect(login.snapshot.phase == .enteringHandle)
  }

  @Test("is joined by an equal request, as if this run had begun it (FB-A30)")
  func joined() async throws {
    let login = model(Self.left)
    login.shell = ShellDoor(
      abilities: ShellAbilities(effects: ["auth.present"], presentations: ["webview"]))
    await login.resumeLeft()
    #expect(try login.submitHandle("alice.test").joined)
    #expect(throws: IntentRejection.self) { try login.submitHandle("bob.test") }
    gate.open()
  }

  @Test("of another provider is shown as that one's, and joined in the same way (A17, FB-A30)")
  func otherProvider() async throws {
    let device = PlatriumDevice(name: "Desk", platform: "LINUX")
    let login = model(
      LeftSignIn(
        target: .platrium(server: "platrium.test", device: device), name: "",
        host: "platrium.test"), offers: ProviderOffer.all)
    login.shell = ShellDoor(
      abilities: ShellAbilities(effects: ["auth.present"], presentations: ["webview"]))
    await login.resumeLeft()
    #expect(login.snapshot.phase == .waitingForBrowser)
    #expect(login.snapshot.chosen == "platrium")
    #expect(login.snapshot.serverHost == "platrium.test")
    #expect(login.snapshot.handle.isEmpty)
    let again = try login.submit(server: "platrium.test", device: device, consent: .browser)
    #expect(again.joined && again.operation == login.snapshot.operation)
    #expect(throws: IntentRejection.self) {
      try login.submit(server: "platrium.test", device: nil, consent: .browser)
    }
    gate.open()
  }

  @Test("nothing is shown when nothing was left")
  func nothing() async {
    let login = model(nil)
    await login.resumeLeft()
    #expect(
      login.snapshot
        == LoginSnapshot(status: .idle, phase: .signedOut, can: [.loginStart], handle: ""))
  }
}
