import Foundation
import OAuth
import SystemClients

extension SignInService {
  /// Shows a page and waits for its callback, through whichever door it comes. When that is here, or
  /// will not come, the attempt is kept no longer.
  ///
  /// - Returns: the callback, and the page it answers: the one that was shown last.
  func answer(
    to opened: OpenPage, _ step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> (CallbackURL, OpenPage) {
    page = opened
    self.step = step
    renewalFailure = nil
    defer { page = nil }
    if let request = opened.request { await step(.waitingForBrowser(request)) }
    let outcome = await firstToCome()
    do throws(SignInError) {
      let url = try outcome.get()
      try await taken()
      return (url, page ?? opened)
    } catch {
      if !(isLeaving && error == .cancelled) { await shelf.drop() }
      throw renewalFailure ?? error
    }
  }

  /// Shows the page that is waited for once more.
  ///
  /// One that its server no longer knows is asked for anew, with a state and a verifier of its own, and
  /// takes the place of the old one, whose callback is refused from then on (FB-A25). If it cannot be
  /// had, the sign-in ends and says why.
  package func showAgain() async {
    guard let page, !isRenewing else { return }
    if let request = page.request, clock.now() < request.opensUntil {
      return await step(.waitingForBrowser(request))
    }
    guard let renew = page.renew else { return }
    isRenewing = true
    defer { isRenewing = false }
    do throws(SignInError) {
      var renewed = try await renew()
      renewed.closesAt = page.closesAt
      let fresh = renewed
      // The old page may have been answered meanwhile, or been given up.
      guard coordinator.replace(page.expected, with: fresh.expected) else { return }
      self.page = fresh
      await page.abandon()
      if let keepsake = fresh.keepsake { await shelf.keep(keepsake) }
      guard self.page?.expected == fresh.expected, let request = fresh.request else {
        if !isLeaving { await shelf.drop() }
        return
      }
      await step(.waitingForBrowser(request))
    } catch {
      guard self.page?.expected == page.expected else { return }
      renewalFailure = error
      coordinator.withdraw()
    }
  }

  /// The callback, unless its time is over or the task is cancelled before.
  private func firstToCome() async -> Result<CallbackURL, SignInError> {
    let coordinator = coordinator
    return await withTaskCancellationHandler {
      await withTaskGroup(of: Result<CallbackURL, SignInError>.self) { group in
        group.addTask {
          guard let url = await coordinator.callback() else { return .failure(.cancelled) }
          return .success(url)
        }
        group.addTask { await self.timeIsOver() }
        let first = await group.next() ?? .failure(.cancelled)
        group.cancelAll()
        coordinator.withdraw()
        return first
      }
    } onCancel: {
      coordinator.withdraw()
    }
  }

  /// Returns when the time of the page that was shown last is over.
  private func timeIsOver() async -> Result<CallbackURL, SignInError> {
    while let end = page?.endsAt {
      let left = end.timeIntervalSince(clock.now())
      if left <= 0 { return .failure(.expired) }
      do {
        try await clock.sleep(.seconds(left))
      } catch {
        break
      }
    }
    return .failure(.cancelled)
  }

  private func taken() async throws(SignInError) {
    do throws(StoreFault) {
      try await shelf.take()
    } catch {
      throw .store(error)
    }
  }
}
