import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("Becoming the program for our addresses (§6)", .timeLimit(.minutes(1)))
struct SchemeRegistrationTests {
  /// What the shell was asked, in order.
  private let asked = Recorder<String>()

  /// A world whose shell shows pages so, and answers for a scheme so.
  private func world(
    _ presentation: String = "systemSession", effects: Set<String> = ["scheme.register"],
    answers: @escaping (_ scheme: String) async -> Bool = { _ in true }
  ) async -> ModelWorld {
    let world = await ModelWorld(.nobody)
    world.models.login.shell = ShellDoor(
      abilities: ShellAbilities(
        effects: effects.union(["auth.present"]), presentations: [presentation]),
      present: { [asked] _ in
        asked.record("page")
        return .presented
      },
      registerScheme: { [asked] _, scheme in
        asked.record(scheme)
        return await answers(scheme)
      })
    return world
  }

  private func signIn(_ world: ModelWorld, _ page: BrowserRequest = .page) async throws {
    let shown = asked.values.count { $0 == "page" }
    _ = try world.models.login.start()
    let operation = try world.models.login.submitHandle("bob.test").operation
    await world.signIn.step(.waitingForBrowser(page))
    await asked.wait { $0.count { $0 == "page" } > shown }
    _ = try world.models.login.cancel()
    #expect(await world.end(of: operation) == .cancelled)
  }

  @Test("the shell is asked once, before the first page, whatever the person says")
  func once() async throws {
    let world = await world()
    try await signIn(world)
    try await signIn(world)
    #expect(asked.values == ["com.example.grain", "page", "page"])
    #expect(world.signIn.settledSchemes == ["com.example.grain"])
  }

  @Test("a shell that could not do it is asked again with the next sign-in")
  func failure() async throws {
    let world = await world { _ in false }
    try await signIn(world)
    try await signIn(world)
    #expect(asked.values == ["com.example.grain", "page", "com.example.grain", "page"])
  }

  @Test("taken back with its sign-in, it was not answered; nothing is shown after it")
  func withdrawn() async throws {
    let world = await world { _ in
      // Only the end of the sign-in ends this.
      try? await Task.sleep(for: .seconds(3600))
      return true
    }
    _ = try world.models.login.start()
    let operation = try world.models.login.submitHandle("bob.test").operation
    await world.signIn.step(.waitingForBrowser(.page))
    await asked.wait { !$0.isEmpty }
    _ = try world.models.login.cancel()
    #expect(await world.end(of: operation) == .cancelled)
    #expect(world.signIn.settledSchemes.isEmpty)
    #expect(asked.values == ["com.example.grain"])
  }

  @Test("a web view, a port of ours and a shell without the effect need none (X19)")
  func needless() async throws {
    try await signIn(await world("webview"))
    try await signIn(await world(effects: []))
    try await signIn(
      await world(), BrowserRequest(url: "https://pds.test/a", host: "pds.test", callback: .core))
    #expect(asked.values == ["page", "page", "page"])
  }
}
