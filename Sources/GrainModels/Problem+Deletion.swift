import ATSyntax
import GrainServices
import GrainSnapshots

extension Problem {
  /// What was typed is not the account's name.
  init(confirmationOf account: String) {
    self.init(
      .rpcInvalidParams, params: ["account": .text(account)],
      fallback: "Type {account} to delete that account. Nothing was deleted.", field: "/confirm")
  }

  /// An account that was not deleted; every sentence says what is left of it.
  init(_ error: DeletionError, account: String) {
    switch error {
    case .unconfirmed:
      self.init(
        .loginExpired, params: ["account": .text(account)],
        fallback: "Nobody has just confirmed that {account} is to be deleted. Nothing was deleted; "
          + "start again.", details: Self.nothing)
    case .refused(.scopeMissing(_, let scope)):
      self.init(
        .accountScopeMissing, params: ["account": .text(account)],
        fallback: "{account} did not allow the app to delete what is there. Nothing was deleted; "
          + "start again and allow everything.",
        details: Self.nothing.merging(["scope": .text(scope)]) { first, _ in first })
    case .refused(.accountInactive(let state)):
      self.init(
        .serverError, params: ["account": .text(account)],
        fallback: "{account} is not active at its server, which deletes nothing then. Nothing was "
          + "deleted.",
        details: Self.nothing.merging(["state": .text(state)]) { first, _ in first })
    case .refused(let fault): self = Problem(fault, account: account).withNothingDeleted
    case .stopped:
      self.init(
        .requestCancelled, params: ["account": .text(account)],
        fallback:
          "Deleting {account} was stopped, because you signed in to use it. What was deleted "
          + "by then is gone; the rest stays.", details: ["deleted": "unknown"])
    case .unfinished(let fault):
      let inner = Problem(fault, account: account)
      self.init(
        inner.kind, params: ["account": .text(account)],
        fallback: "It is not certain that everything of {account} is deleted. The app goes on with "
          + "it at its next start, or when you delete the account again.",
        retryAfterMs: inner.retryAfterMs, details: ["deleted": "unknown"])
    }
  }

  private static let nothing: [String: PlainValue] = ["deleted": "nothing"]

  /// The same, for somebody who wanted to delete an account.
  var withNothingDeleted: Problem {
    var problem = self
    if !problem.message.fallback.contains("othing was deleted") {
      problem.message.fallback += " Nothing was deleted."
    }
    problem.details = (details ?? [:]).merging(Self.nothing) { first, _ in first }
    return problem
  }
}

extension OperationCenter.Outcome {
  /// How a deletion comes out whose sign-in came out like this: it never began.
  var withoutDeletion: OperationCenter.Outcome {
    if case .failed(let problem) = self { .failed(problem.withNothingDeleted) } else { .cancelled }
  }
}
