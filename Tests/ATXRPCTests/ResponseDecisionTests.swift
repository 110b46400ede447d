import ATXRPC
import Testing

@Suite("What follows a response")
struct ResponseDecisionTests {
  private static let statuses = [
    200, 201, 204, 299, 300, 302, 304, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425,
    429, 451, 500, 501, 502, 503, 504, 599,
  ]
  private static let errors: [String?] = [
    nil, "use_dpop_nonce", "invalid_dpop_proof", "invalid_token", "ExpiredToken", "AccountTakedown",
    "AccountDeactivated", "ScopeMissingError", "InvalidRequest", "AuthMissing",
  ]
  private static let challenges: [String?] = [
    nil, "use_dpop_nonce", "invalid_dpop_proof", "invalid_token", "insufficient_scope",
  ]

  private enum Spent: CaseIterable {
    case nothing, proof, token, both

    var budget: CallBudget {
      var budget = CallBudget()
      // The order matters: a newer token brings a new repeat for the proof's sake.
      if self == .token || self == .both { _ = budget.spendToken() }
      if self == .proof || self == .both { _ = budget.spendProof() }
      return budget
    }
  }

  @Test("every row of the table, for every combination of what can come (grain-product §6, G106)")
  func table() {
    var rows = 0
    for status in Self.statuses {
      for error in Self.errors {
        for challenge in Self.challenges {
          for spent in Spent.allCases {
            for flags in 0..<8 {
              let facts = ResponseFacts(
                status: status, error: error, challenge: challenge, hasNewNonce: flags & 1 != 0,
                isSigned: flags & 2 != 0, tokenChanged: flags & 4 != 0)
              var budget = spent.budget
              let decision = ResponseDecision.after(facts, budget: &budget)
              #expect(decision == expected(facts, spent), "\(facts) \(spent)")
              rows += 1
            }
          }
        }
      }
    }
    #expect(rows == 27 * 10 * 5 * 4 * 8)
  }

  /// The table as the product reference writes it, row by row, independent of the code under test.
  private func expected(_ facts: ResponseFacts, _ spent: Spent) -> ResponseDecision {
    let proofLeft = spent == .nothing || spent == .token
    let tokenLeft = spent == .nothing || spent == .proof
    switch (facts.status, facts.error, facts.challenge) {
    case (200...299, _, _): return .accept
    case (403, _, _): return .fail(.forbidden)
    case (408, _, _), (425, _, _), (429, _, _), (500..., _, _): return .fail(.transient)
    case _ where !facts.isSigned: return .fail(.http)
    case (401, _, "use_dpop_nonce"), (400, "use_dpop_nonce", _):
      return facts.hasNewNonce && proofLeft ? .resendWithNonce : .fail(.proofRefused)
    case (401, _, "invalid_dpop_proof"), (401, "invalid_dpop_proof", nil):
      return proofLeft ? .resendWithClock : .fail(.proofRefused)
    case (401, "AccountTakedown", nil), (401, "AccountDeactivated", nil):
      return .fail(.accountState)
    case (401, _, _), (400, "ExpiredToken", _):
      guard tokenLeft else { return .fail(.unauthorized) }
      return facts.tokenChanged ? .resendWithCurrentToken : .refreshAndResend
    default: return .fail(.http)
    }
  }

  @Test("a nonce header alone is no nonce refusal: an expired token refreshes (G90)")
  func nonceHeaderAlone() {
    var budget = CallBudget()
    let facts = ResponseFacts(status: 401, challenge: "invalid_token", hasNewNonce: true)
    #expect(ResponseDecision.after(facts, budget: &budget) == .refreshAndResend)
  }

  @Test("nonce, refresh, nonce: four requests, and then it is over (FB-A7)")
  func longest() {
    var budget = CallBudget()
    let nonce = ResponseFacts(status: 401, challenge: "use_dpop_nonce", hasNewNonce: true)
    let expired = ResponseFacts(status: 401, challenge: "invalid_token")
    let decisions = [nonce, expired, nonce, expired].map {
      ResponseDecision.after($0, budget: &budget)
    }
    #expect(
      decisions == [.resendWithNonce, .refreshAndResend, .resendWithNonce, .fail(.unauthorized)])
  }

  @Test("a connection that broke takes its repeat from the same four requests")
  func brokenConnection() {
    var budget = CallBudget()
    let repeats = [budget.spendConnection(), budget.spendConnection()]
    #expect(repeats == [true, false])
    let nonce = ResponseFacts(status: 401, challenge: "use_dpop_nonce", hasNewNonce: true)
    let expired = ResponseFacts(status: 401, challenge: "invalid_token")
    let decisions = [nonce, expired, nonce].map { ResponseDecision.after($0, budget: &budget) }
    #expect(decisions == [.resendWithNonce, .refreshAndResend, .fail(.proofRefused)])
  }

  @Test(
    "whatever servers answer: at most four requests, one refresh, and nothing that may have landed is repeated",
    arguments: [UInt64.random(in: 0...UInt64.max), 1, 2])
  func property(seed: UInt64) {
    var generator = Seeded(state: seed)
    for round in 0..<20_000 {
      var budget = CallBudget()
      var requests = 0
      var newerTokens = 0
      var decision = ResponseDecision.resendWithNonce
      repeat {
        let facts = ResponseFacts(
          status: Self.statuses.randomElement(using: &generator) ?? 200,
          error: Self.errors.randomElement(using: &generator) ?? nil,
          challenge: Self.challenges.randomElement(using: &generator) ?? nil,
          hasNewNonce: Bool.random(using: &generator), isSigned: true,
          tokenChanged: Bool.random(using: &generator))
        requests += 1
        decision = ResponseDecision.after(facts, budget: &budget)
        if decision == .refreshAndResend || decision == .resendWithCurrentToken { newerTokens += 1 }
        if decision.sendsAgain {
          // Only refusals are answered by another request; a write cannot have landed there.
          #expect([400, 401].contains(facts.status), "seed \(seed) round \(round)")
        }
      } while decision.sendsAgain && requests < 10
      #expect(requests <= 4, "seed \(seed) round \(round)")
      #expect(newerTokens <= 1, "seed \(seed) round \(round)")
    }
  }

  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }
}

extension ResponseDecision {
  fileprivate var sendsAgain: Bool {
    switch self {
    case .accept, .fail: false
    default: true
    }
  }
}
