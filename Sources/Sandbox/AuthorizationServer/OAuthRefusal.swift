import StrictJSON

/// An answer with `error` and `error_description`: what every OAuth endpoint refuses with.
///
/// Names, statuses and texts are those of the reference server (atproto-wire §§5.2, 6, 8, 9).
struct OAuthRefusal: Error, Equatable, Sendable {
  let status: Int
  let error: String
  let description: String
  /// Whether the answer also carries `WWW-Authenticate` (proof and token faults, not nonces).
  var isChallenge = false

  static func invalidRequest(_ text: String) -> Self { .bad("invalid_request", text) }
  static func invalidClient(_ text: String) -> Self { .bad("invalid_client", text) }
  static func invalidScope(_ text: String) -> Self { .bad("invalid_scope", text) }
  static func invalidGrant(_ text: String) -> Self { .bad("invalid_grant", text) }
  static func invalidClientMetadata(_ text: String) -> Self {
    .bad("invalid_client_metadata", text)
  }
  static func invalidRedirectURI(_ text: String) -> Self { .bad("invalid_redirect_uri", text) }
  static func unsupportedResponseType(_ type: String) -> Self {
    .bad("unsupported_response_type", "Unsupported response_type \"\(type)\"")
  }
  static func unsupportedMedia(_ text: String) -> Self {
    Self(status: 415, error: "invalid_request", description: text)
  }
  /// 401 also at the authorization server (atproto-wire §5.2).
  static func invalidProof(_ text: String) -> Self {
    Self(status: 401, error: "invalid_dpop_proof", description: text, isChallenge: true)
  }
  static func invalidToken(_ text: String) -> Self {
    Self(status: 401, error: "invalid_token", description: text, isChallenge: true)
  }
  static let invalidKeyBinding = Self.invalidToken("Invalid DPoP key binding")
  /// Whatever nobody foresaw, with its details hidden.
  static let serverError = Self(
    status: 500, error: "server_error", description: "Server error")

  private static func bad(_ error: String, _ text: String) -> Self {
    Self(status: 400, error: error, description: text)
  }

  /// The authorization server's answer to a refused proof; nonces are 400 there.
  init(_ refusal: DPoPRefusal) {
    switch refusal {
    case .useNonce(let text):
      self.init(status: 400, error: "use_dpop_nonce", description: text)
    case .invalidProof(let text): self = .invalidProof(text)
    }
  }

  init(status: Int, error: String, description: String, isChallenge: Bool = false) {
    self.status = status
    self.error = error
    self.description = description
    self.isChallenge = isChallenge
  }

  /// The `WWW-Authenticate` value, algorithms first.
  ///
  /// A parameter whose value holds a quotation mark is left out, as the reference server does.
  var challenge: String {
    let parameters = [("algs", "ES256"), ("error", error), ("error_description", description)]
    let shown = parameters.filter { !$0.1.contains("\"") }
    return "DPoP " + shown.map { "\($0)=\"\($1)\"" }.joined(separator: ", ")
  }

  /// The answer's body.
  var body: JSONObject {
    ["error": .string(error), "error_description": .string(description)]
  }
}
