import ATOAuth
import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import Testing

/// Two pages: the first is good for two seconds, the second for five minutes.
@Suite("A page that is asked for once more (FB-A25)")
struct ShowAgainTests {
  private static let pushed = "as.alice.test/oauth/par"
  private let world: SignInWorld

  init() async throws {
    world = try await SignInWorld()
    world.http.answer(
      Self.pushed, .json(#"{"request_uri":"urn:req-1","expires_in":2}"#, status: 201),
      .json(#"{"request_uri":"urn:req-2","expires_in":299}"#, status: 201))
  }

  private var pages: [BrowserRequest] {
    world.steps.values.compactMap { step in
      if case .waitingForBrowser(let page) = step { page } else { nil }
    }
  }

  private func forms() -> [[String: String]] {
    world.http.requests(to: Self.pushed).map { form($0) }
  }

  /// A sign-in whose page has been open for that long, and its callback.
  private func open(
    for seconds: TimeInterval
  ) async -> (Task<Result<AccountID, SignInError>, Never>, callback: String) {
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    await world.clock.sleepers(atLeast: 1)
    let callback = world.callback()
    world.clock.set(world.clock.now.addingTimeInterval(seconds))
    return (task, callback)
  }

  @Test("is the same one while its server knows it")
  func same() async {
    let (task, callback) = await open(for: 1)
    await world.service.showAgain()
    #expect(pages.count == 2)
    #expect(pages.first == pages.last)
    #expect(forms().count == 1)
    #expect(world.coordinator.offer(callback) == .delivered)
    #expect(await task.value == .success(AccountsWorld.alice.account))
  }

  @Test("is pushed anew once its time is over, with a new state and verifier; the old are refused")
  func renewed() async throws {
    let (task, callback) = await open(for: 3)
    await world.service.showAgain()
    #expect(pages.map(\.url).count == 2)
    #expect(pages.last?.url.contains("urn%3Areq-2") == true)
    #expect(pages.last?.opensUntil == world.clock.now.addingTimeInterval(299))
    let forms = forms()
    try #require(forms.count == 2)
    #expect(forms[0]["state"] != forms[1]["state"])
    #expect(forms[0]["code_challenge"] != forms[1]["code_challenge"])
    #expect(forms[0]["login_hint"] == forms[1]["login_hint"])
    #expect(world.coordinator.offer(callback) == .unknown)

    // The one that is kept for another run is the new one, too.
    let kept = try AuthorizationAttempt(
      unsealed: try #require(try await world.base.store.keptAttempt()))
    #expect(kept.state.revealText() == forms[1]["state"])
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    #expect(await task.value == .success(AccountsWorld.alice.account))
    let exchange = form(world.http.requests(to: SignInWorld.tokenEndpoint).last)
    #expect(exchange["code_verifier"] == kept.verifier.revealText())
  }

  @Test("has its own time to be answered in")
  func time() async {
    let (task, _) = await open(for: 3000)
    await world.service.showAgain()
    await world.clock.advance(by: .seconds(3599))
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    #expect(await task.value == .success(AccountsWorld.alice.account))
  }

  @Test("leaves the old one its answer when that comes first")
  func answeredMeanwhile() async {
    let gate = Gate()
    let (task, callback) = await open(for: 3)
    world.http.answer(
      Self.pushed,
      .json(#"{"request_uri":"urn:req-2","expires_in":299}"#, status: 201).held(at: gate))
    let asking = Task { [service = world.service] in await service.showAgain() }
    await gate.arrivals(atLeast: 1)
    // Asked for twice is pushed once.
    await world.service.showAgain()
    #expect(world.coordinator.offer(callback) == .delivered)
    #expect(await task.value == .success(AccountsWorld.alice.account))
    gate.open()
    await asking.value
    #expect(pages.count == 1)
    #expect(forms().count == 2)
    #expect(world.coordinator.offer(world.callback()) == .unknown)
  }

  @Test("that cannot be had ends the sign-in, which says why")
  func failing() async throws {
    let (task, callback) = await open(for: 3)
    world.http.answer(Self.pushed, .failure(.offline))
    await world.service.showAgain()
    #expect(await task.value == .failure(.remote(.offline)))
    #expect(world.coordinator.offer(callback) == .unknown)
    #expect(try await world.base.store.keptAttempt() == nil)
  }

  @Test("after a restart is always a new one: where the old one is, nobody knows (A17)")
  func afterRestart() async throws {
    let (first, callback) = await open(for: 1)
    await world.service.leave()
    first.cancel()
    _ = await first.value
    let next = world.restarted()
    _ = await next.service.left()
    let ending = Task {
      do throws(SignInError) {
        return Result<AccountID, SignInError>.success(
          try await next.service.resume { [steps = world.steps] in steps.record($0) })
      } catch {
        return .failure(error)
      }
    }
    await world.clock.sleepers(atLeast: 1)
    await next.service.showAgain()
    #expect(pages.last?.url.contains("urn%3Areq-2") == true)
    #expect(forms().map { $0["login_hint"] } == ["alice.test", "alice.test"])
    #expect(next.coordinator.offer(callback) == .unknown)
    #expect(next.coordinator.offer(world.callback()) == .delivered)
    #expect(await ending.value == .success(AccountsWorld.alice.account))
  }

  @Test("when no page is waited for, nothing happens")
  func nothing() async {
    await world.service.showAgain()
    #expect(world.http.requests.isEmpty)
  }

  @Test("an answer about the request is told as it is, not as a time that is over")
  func otherWords() async {
    let (task, _) = await open(for: 1)
    let answer = world.callback(
      "error=invalid_request&error_description=Invalid+request_uri+format")
    #expect(world.coordinator.offer(answer) == .delivered)
    #expect(
      await task.value
        == .failure(
          .refused(
            host: "as.alice.test", error: "invalid_request",
            detail: "Invalid request_uri format")))
  }
}
