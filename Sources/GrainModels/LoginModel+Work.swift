import GrainServices
import GrainSnapshots

/// One sign-in, from its beginning to what the screen shows of its end.
extension LoginModel {
  /// Goes on with the sign-in whose page an earlier run opened: its callback may be what started this
  /// one (A17). One whose time is over is only told of.
  package func resumeLeft() async {
    guard running == nil, let left = await signIn.left(), running == nil else { return }
    handle = left.name
    chosen = left.target.provider
    if left.isExpired {
      problem = Problem(.expired)
      phase = .failed
      status = .failed
      return
    }
    _ = begin(left.target, left.intent, firstPhase: .waitingForBrowser, resumes: true)
    status = .waiting
    serverHost = left.host
  }

  /// The program is about to end: a sign-in that waits for its browser is left to the next run.
  package func leave() async {
    await signIn.leave()
  }

  func begin(
    _ target: SignInTarget, _ intent: IntentName, firstPhase: Phase, resumes: Bool = false,
    then next: @escaping Continuation = { $0 }
  ) -> String {
    problem = nil
    serverHost = nil
    isAnsweredByShell = false
    chosen = target.provider
    suggesting?.cancel()
    suggestions = SuggestionList()
    phase = firstPhase
    status = .busy
    let operation = operations.start(intent) { [weak self] operation in
      guard let self else { return .cancelled }
      return await next(await self.perform(target, operation, resumes: resumes))
    }
    running = Running(operation: operation, target: target)
    return operation
  }

  private func perform(
    _ target: SignInTarget, _ operation: String, resumes: Bool
  ) async -> OperationCenter.Outcome {
    let presenting = Presenting()
    defer { presenting.withdraw() }
    let loopback = shell.abilities.presentation == "externalBrowser"
    do throws(SignInError) {
      let step: @Sendable (SignInStep) async -> Void = { [weak self] step in
        await self?.show(step, operation, presenting)
      }
      if resumes {
        _ = try await signIn.resume(step)
      } else {
        _ = try await signIn.run(target, loopback, step)
      }
      return await finish(.succeeded)
    } catch {
      if let problem = presenting.problem { return await finish(.failed(problem)) }
      switch error {
      case .cancelled: return await finish(.cancelled)
      // A no is quiet in the state; scripts still learn it (grain-product §5).
      case .denied: return await finish(.failed(Problem(.loginDenied)), quietly: true)
      default: return await finish(.failed(Problem(error)))
      }
    }
  }

  private func show(_ step: SignInStep, _ operation: String, _ presenting: Presenting) {
    guard running?.operation == operation else { return }
    switch step {
    case .resolving: phase = .resolving
    case .contacting(let host):
      phase = .contacting
      serverHost = host
    case .exchanging:
      phase = .exchanging
      status = .busy
      // The shell that has brought the answer says so itself; of one that came another way it knows
      // nothing yet.
      if !isAnsweredByShell { presenting.withdraw() }
    case .waitingForBrowser(let request):
      serverHost = request.host
      phase = .waitingForBrowser
      status = .waiting
      present(request, operation, presenting)
    }
  }

  private func finish(
    _ outcome: OperationCenter.Outcome, quietly: Bool = false
  ) async -> OperationCenter.Outcome {
    await settle { self.show(outcome, quietly: quietly) }
    return outcome
  }

  private func show(_ outcome: OperationCenter.Outcome, quietly: Bool) {
    running = nil
    serverHost = nil
    switch outcome {
    case .succeeded:
      handle = ""
      hasAccounts = true
      rest(status: .done)
    case .failed(let problem) where !quietly:
      self.problem = problem
      phase = .failed
      status = .failed
    case .failed, .cancelled:
      rest(status: .idle)
    }
  }
}
