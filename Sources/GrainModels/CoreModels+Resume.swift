import ATSyntax
import GrainServices
import GrainSnapshots

extension CoreModels {
  /// From now on interrupted publishes are continued by themselves: now, when the shell comes to the
  /// foreground, and when an account comes back by signing in (grain-product §12, FB-D14).
  package func beginResuming() {
    resumes = true
    resume()
  }

  /// Continues the interrupted publishes of the active account, oldest draft first; stops at the first
  /// that fails. Expired drafts go first. One such round runs at a time.
  package func resume() {
    guard resumes, !operations.isStopping, let owner = accounts.activeRepo else { return }
    guard resuming == nil else {
      resumesAgain = true
      return
    }
    resuming = Task { [weak self] in
      await self?.resumeAll(of: owner)
      guard let self else { return }
      self.resuming = nil
      if self.resumesAgain { self.resume() }
    }
  }

  private func resumeAll(of owner: DID) async {
    resumesAgain = false
    let reading = await tidied(owner)
    guard accounts.canPublish(owner.account) else { return }
    for draft in reading.interrupted {
      // Whoever is shown next has a round of their own; a core that stops begins nothing.
      if operations.isStopping || accounts.activeRepo != owner { return }
      do throws(IntentRejection) {
        let model = try await model(of: draft)
        guard let operation = try model.resume() else { continue }
        if case .failed = await operations.outcome(of: operation) { return }
      } catch {
        // Gone meanwhile, or being changed right now: it is offered in the list.
        continue
      }
    }
  }

  /// Lets expired drafts go, and shows what is left.
  private func tidied(_ owner: DID) async -> DraftListModel.Reading {
    // A disk that cannot be swept now is swept another time; reading it says what is wrong.
    try? await galleries.sweep()
    let reading = await drafts.read(owner)
    drafts.takeOver(reading)
    closeMissing(reading)
    return reading
  }
}
