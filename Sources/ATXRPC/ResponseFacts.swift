/// What the decision after a response looks at, and nothing more.
package struct ResponseFacts: Equatable, Sendable {
  /// The HTTP status.
  package var status: Int
  /// The body's `error`.
  package var error: String?
  /// The `error` of the DPoP challenge in `WWW-Authenticate`.
  package var challenge: String?
  /// The response brought a nonce other than the one the request carried.
  package var hasNewNonce: Bool
  /// The request carried credentials.
  package var isSigned: Bool
  /// The account has another token by now than the one the request was signed with.
  package var tokenChanged: Bool

  /// The facts of a response.
  package init(
    status: Int, error: String? = nil, challenge: String? = nil, hasNewNonce: Bool = false,
    isSigned: Bool = true, tokenChanged: Bool = false
  ) {
    self.status = status
    self.error = error
    self.challenge = challenge
    self.hasNewNonce = hasNewNonce
    self.isSigned = isSigned
    self.tokenChanged = tokenChanged
  }
}

extension ResponseFacts {
  /// Account states a 401 may name instead of a fault of the token.
  static let accountStates: Set = [
    "AccountDeactivated", "AccountSuspended", "AccountTakedown", "AccountDeleted",
  ]

  /// Whether the server asks for a (newer) nonce: a 401 says so in its challenge, a 400 in its body.
  /// A nonce header alone says nothing (G90).
  var asksForNonce: Bool {
    switch status {
    case 401: challenge == "use_dpop_nonce"
    case 400: error == "use_dpop_nonce"
    default: false
    }
  }

  /// Whether the server refuses the proof for something else than its nonce.
  var refusesProof: Bool {
    status == 401
      && (challenge == "invalid_dpop_proof" || (challenge == nil && error == "invalid_dpop_proof"))
  }

  /// Whether the server names a state of the account.
  var namesAccountState: Bool {
    status == 401 && challenge == nil && error.map(Self.accountStates.contains) == true
  }

  /// Whether the server does not take the token.
  var refusesToken: Bool {
    status == 401 || (status == 400 && error == "ExpiredToken")
  }
}
