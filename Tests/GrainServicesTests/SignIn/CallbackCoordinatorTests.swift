import GrainServices
import GrainTestSupport
import OAuth
import Testing

@Suite("Where callback URLs arrive")
struct CallbackCoordinatorTests {
  private let world: SignInWorld
  private let attempt: ExpectedCallback
  private var coordinator: CallbackCoordinator { world.coordinator }

  init() async throws {
    world = try await SignInWorld()
    attempt = try await world.attempt()
  }

  @Test("the callback of the waiting attempt is delivered to it (A10, A14)")
  func delivered() async {
    coordinator.register(attempt)
    let waiting = Task { await coordinator.callback() }
    #expect(coordinator.offer(world.callback()) == .delivered)
    #expect(await waiting.value?.code == "cod-1")
    #expect(coordinator.ignoredCount == 0)
  }

  @Test("a callback that comes before anybody waits is kept for whoever does")
  func early() async {
    coordinator.register(attempt)
    #expect(coordinator.offer(world.callback()) == .delivered)
    #expect(await coordinator.callback()?.code == "cod-1")
  }

  @Test("the second callback of an attempt is ignored and counted (A16)")
  func duplicate() async {
    coordinator.register(attempt)
    #expect(coordinator.offer(world.callback()) == .delivered)
    #expect(coordinator.offer(world.callback("code=cod-2")) == .unknown)
    #expect(await coordinator.callback()?.code == "cod-1")
    #expect(coordinator.ignoredCount == 1)
    #expect(await coordinator.callback() == nil)
  }

  @Test("without an attempt every callback is ignored (A17)")
  func nobody() {
    #expect(coordinator.offer(world.callback()) == .unknown)
    #expect(coordinator.ignoredCount == 1)
  }

  @Test("an attempt that was withdrawn gets nothing any more (A15, A18, A46)")
  func withdrawn() async {
    coordinator.register(attempt)
    let waiting = Task { await coordinator.callback() }
    await Task.yield()
    coordinator.withdraw()
    #expect(await waiting.value == nil)
    #expect(coordinator.offer(world.callback()) == .unknown)
    #expect(await coordinator.callback() == nil)
  }

  @Test("a later attempt replaces the earlier one, whose callback is then foreign")
  func replaced() async throws {
    coordinator.register(attempt)
    let first = world.callback()
    let waiting = Task { await coordinator.callback() }
    await Task.yield()
    coordinator.register(try await world.attempt())
    #expect(await waiting.value == nil)
    #expect(coordinator.offer(first) == .unknown)
    #expect(coordinator.offer(world.callback()) == .delivered)
  }

  @Test("a foreign state, or none, is ignored and leaves the attempt waiting")
  func foreignState() async {
    coordinator.register(attempt)
    let good = world.callback()
    for state in ["", "other", String(repeating: "A", count: 43)] {
      #expect(coordinator.offer(world.callback(state: state)) == .unknown)
    }
    #expect(coordinator.offer(good.replacing("state=", with: "stat=")) == .unknown)
    #expect(coordinator.ignoredCount == 4)
    #expect(coordinator.offer(good) == .delivered)
  }

  @Test(
    "other schemes, hosts, paths and malformed URLs are ignored, whatever their state (A11, A19, A20)",
    arguments: [
      "social.grain://oauth/callback", "social.grain:/oauth/callback/",
      "social.grain:/oauth/callback/more", "social.grain:/oauth", "grain://oauth/callback",
      "grain:/oauth/callback", "https://grain.social/oauth/callback",
      "https://grain.social.evil.tld/oauth/callback", "https://user@grain.social/oauth/callback",
      "http://127.0.0.1/oauth/callback", "http://127.0.0.1.evil.tld/callback",
      "javascript:/oauth/callback", "file:/oauth/callback", "social.grain:oauth/callback",
    ])
  func otherRoutes(place: String) {
    coordinator.register(attempt)
    let url = world.callback().replacing("social.grain:/oauth/callback", with: place)
    #expect(coordinator.offer(url) == .unknown)
    #expect(coordinator.ignoredCount == 1)
    #expect(coordinator.offer(world.callback()) == .delivered)
  }

  @Test("a callback with a parameter twice, or with a fragment, is ignored")
  func malformed() {
    coordinator.register(attempt)
    for tail in ["&code=again", "&state=x", "#fragment", "&x= y"] {
      #expect(coordinator.offer(world.callback() + tail) == .unknown)
    }
    #expect(coordinator.ignoredCount == 4)
  }
}
