/// What to do after a response: a pure function of what came and what was already tried.
///
/// A call sends at most four requests, refreshes at most once, and repeats nothing that may have
/// landed: only refusals are followed by another request (G38–G41, G106).
///
/// - SeeAlso: grain-product §6
package enum ResponseDecision: Equatable, Sendable {
  /// The call succeeded.
  case accept
  /// Send again with the nonce the response brought.
  case resendWithNonce
  /// Send again with a fresh proof, dated by the server's clock.
  case resendWithClock
  /// Send again: somebody else has refreshed meanwhile.
  case resendWithCurrentToken
  /// Refresh, joining a refresh under way, and send again.
  case refreshAndResend
  /// The call failed.
  case fail(Failure)

  /// How it failed.
  package enum Failure: Equatable, Sendable {
    case unauthorized, proofRefused, forbidden, accountState, transient, http
  }

  /// Decides, and notes in the budget what the decision spends.
  package static func after(_ facts: ResponseFacts, budget: inout CallBudget) -> ResponseDecision {
    switch facts.status {
    case 200..<300: return .accept
    case 403: return .fail(.forbidden)
    case 408, 425, 429, 500...: return .fail(.transient)
    default: break
    }
    guard facts.isSigned else { return .fail(.http) }
    if facts.asksForNonce {
      guard facts.hasNewNonce, budget.spendProof() else { return .fail(.proofRefused) }
      return .resendWithNonce
    }
    if facts.refusesProof {
      return budget.spendProof() ? .resendWithClock : .fail(.proofRefused)
    }
    if facts.namesAccountState { return .fail(.accountState) }
    guard facts.refusesToken else { return .fail(.http) }
    guard budget.spendToken() else { return .fail(.unauthorized) }
    return facts.tokenChanged ? .resendWithCurrentToken : .refreshAndResend
  }
}

/// What a call may still try.
package struct CallBudget: Equatable, Sendable {
  /// One repeat for the proof's sake, with the first token; one more with a newer one.
  package private(set) var proofSpent = false
  /// One repeat with a newer token.
  package private(set) var tokenSpent = false
  /// One repeat of a read whose connection broke.
  package private(set) var connectionSpent = false
  /// Three repeats in all.
  package private(set) var repeatsLeft = 3

  /// Everything may still be tried.
  package init() {}

  /// Takes the repeat for the proof's sake; `false` when it is gone.
  package mutating func spendProof() -> Bool {
    guard !proofSpent, spendRepeat() else { return false }
    proofSpent = true
    return true
  }

  /// Takes the repeat with a newer token, which may be refused once for its proof (FB-A7).
  package mutating func spendToken() -> Bool {
    guard !tokenSpent, spendRepeat() else { return false }
    tokenSpent = true
    proofSpent = false
    return true
  }

  /// Takes the repeat after a broken connection; `false` when it is gone.
  package mutating func spendConnection() -> Bool {
    guard !connectionSpent, spendRepeat() else { return false }
    connectionSpent = true
    return true
  }

  private mutating func spendRepeat() -> Bool {
    guard repeatsLeft > 0 else { return false }
    repeatsLeft -= 1
    return true
  }
}
