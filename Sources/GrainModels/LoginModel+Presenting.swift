import GrainServices
import GrainSnapshots

extension LoginModel {
  /// Asks the shell to show a page.
  ///
  /// Where the answer comes to an address of the app's own from a browser of the person's, the shell is
  /// first asked, once, to become the program for such addresses; a web view needs nothing of the kind.
  func present(_ request: BrowserRequest, _ operation: String, _ presenting: Presenting) {
    // The shell still has this very page open.
    if presenting.open == request.url { return }
    var callback: AuthPresentation.Callback?
    if case .shell(let scheme, let host, let path) = request.callback {
      callback = AuthPresentation.Callback(scheme: scheme, host: host, path: path)
    }
    let page = AuthPresentation(
      operation: operation, url: request.url, callback: callback,
      presentation: request.needsWebView
        ? "webview" : shell.abilities.presentation ?? "externalBrowser",
      opensUntil: request.opensUntil)
    presenting.withdraw()
    presenting.open = request.url
    presenting.task = Task { [weak self, shell, operations, signIn] in
      if let scheme = callback?.scheme, page.presentation != "webview" {
        await self?.register(scheme, operation)
      }
      if Task.isCancelled { return }
      let outcome = await shell.present(page)
      // Taken back, for another page or for the end.
      if Task.isCancelled { return }
      presenting.open = nil
      switch outcome {
      case .presented, .callbackDelivered: break
      case .dismissed: _ = operations.cancel(operation)
      case .overdue: await signIn.showAgain()
      case .failed(let problem):
        presenting.problem = problem
        _ = operations.cancel(operation)
      }
    }
  }

  /// Asks the shell to become the program for a scheme, unless that was settled before: done, or not
  /// wanted. Either way the sign-in goes on, since its answer can still be handed over.
  private func register(_ scheme: String, _ operation: String) async {
    guard shell.abilities.registersSchemes, await !signIn.isSchemeSettled(scheme) else { return }
    let isSettled = await shell.registerScheme(operation, scheme)
    // Withdrawn: nobody has said anything.
    guard isSettled, !Task.isCancelled else { return }
    await signIn.settleScheme(scheme)
  }
}
