package import ATSyntax

/// Signing in, as the models ask for it.
package struct SignInDoor: Sendable {
  /// Runs one sign-in to its end; cancelling the task ends the attempt.
  ///
  /// `loopback` asks for an answer on a port of ours, where the configuration allows it. The steps
  /// are reported in order, each before the work it names begins.
  package var run:
    @Sendable (
      _ target: SignInTarget, _ loopback: Bool,
      _ step: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(SignInError) -> DID
  /// The accounts that fit what is typed; cancelled when more is typed.
  package var suggest: @Sendable (_ text: String) async -> [HandleSuggestion]
  /// Hands over a callback URL; the check of route and state is immediate.
  package var deliver: @Sendable (_ url: String) -> CallbackDelivery

  /// A door made of its calls.
  package init(
    run:
      @escaping @Sendable (
        SignInTarget, Bool, @escaping @Sendable (SignInStep) async -> Void
      ) async throws(SignInError) -> DID,
    suggest: @escaping @Sendable (String) async -> [HandleSuggestion] = { _ in [] },
    deliver: @escaping @Sendable (String) -> CallbackDelivery
  ) {
    self.run = run
    self.suggest = suggest
    self.deliver = deliver
  }
}
