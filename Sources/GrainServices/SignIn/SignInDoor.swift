/// Signing in, as the models ask for it.
package struct SignInDoor: Sendable {
  /// Hears each step before the work it names begins.
  package typealias Steps = @Sendable (SignInStep) async -> Void

  /// Runs one sign-in to its end; cancelling the task ends the attempt.
  ///
  /// `loopback` asks for an answer on a port of ours, where the provider allows it.
  package var run:
    @Sendable (
      _ target: SignInTarget, _ loopback: Bool, _ step: @escaping Steps
    ) async throws(SignInError) -> AccountID
  /// The accounts that fit what is typed; cancelled when more is typed.
  package var suggest: @Sendable (_ text: String) async -> [HandleSuggestion]
  /// The sign-in that an earlier run left at its page; its callback is taken from now on.
  package var left: @Sendable () async -> LeftSignIn?
  /// Waits for the callback of that sign-in and finishes it.
  package var resume: @Sendable (_ step: @escaping Steps) async throws(SignInError) -> AccountID
  /// Shows the page that is waited for once more; one that can no longer be opened is asked for anew,
  /// and the old one's callback is then refused (FB-A25).
  package var showAgain: @Sendable () async -> Void
  /// The program is about to end: a sign-in that is cancelled from now on waits for the next run.
  package var leave: @Sendable () async -> Void
  /// Hands over a callback URL the shell has brought; the check of route and state is immediate.
  package var deliver: @Sendable (_ url: String) -> CallbackDelivery
  /// Whether the shell was asked before to become the program for a scheme, and has said yes or no.
  package var isSchemeSettled: @Sendable (_ scheme: String) async -> Bool
  /// Remembers that it has.
  package var settleScheme: @Sendable (_ scheme: String) async -> Void
  /// Who can be signed in with, in the order in which it is shown.
  package var providers: @Sendable () -> [ProviderOffer]

  /// A door made of its calls.
  package init(
    run:
      @escaping @Sendable (
        SignInTarget, Bool, @escaping Steps
      ) async throws(SignInError) -> AccountID,
    suggest: @escaping @Sendable (String) async -> [HandleSuggestion] = { _ in [] },
    left: @escaping @Sendable () async -> LeftSignIn? = { nil },
    resume:
      @escaping @Sendable (@escaping Steps) async throws(SignInError) -> AccountID = {
        _ throws(SignInError) in throw .cancelled
      },
    showAgain: @escaping @Sendable () async -> Void = {},
    leave: @escaping @Sendable () async -> Void = {},
    deliver: @escaping @Sendable (String) -> CallbackDelivery,
    isSchemeSettled: @escaping @Sendable (String) async -> Bool = { _ in true },
    settleScheme: @escaping @Sendable (String) async -> Void = { _ in },
    providers: @escaping @Sendable () -> [ProviderOffer] = {
      [ProviderOffer(provider: .grain, needs: .handle)]
    }
  ) {
    self.run = run
    self.suggest = suggest
    self.left = left
    self.resume = resume
    self.showAgain = showAgain
    self.leave = leave
    self.deliver = deliver
    self.isSchemeSettled = isSchemeSettled
    self.settleScheme = settleScheme
    self.providers = providers
  }
}
