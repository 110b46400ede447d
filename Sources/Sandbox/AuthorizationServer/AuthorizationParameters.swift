import StrictJSON

/// What a client asked for in its pushed request, after the checks; one JSON column of a request.
struct AuthorizationParameters: Codable, Equatable, Sendable {
  var clientID: String
  var redirectURI: String
  var scope: [String]
  var state: String?
  /// The PKCE challenge; its method is always S256.
  var challenge: String
  /// `create` or `consent`; for a confidential client whatever it asked for.
  var prompt: String
  /// A handle or DID in lower case.
  var loginHint: String?
  /// `query`, `fragment` or `form_post`.
  var responseMode: String
  /// The key the tokens will be bound to; `nil` until one shows itself.
  var thumbprint: String?
  /// The key a confidential client authenticated with.
  var clientKey: String?

  init(
    clientID: String, redirectURI: String, scope: [String], state: String?, challenge: String,
    prompt: String, loginHint: String?, responseMode: String
  ) {
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scope = scope
    self.state = state
    self.challenge = challenge
    self.prompt = prompt
    self.loginHint = loginHint
    self.responseMode = responseMode
  }

  /// As stored.
  func text() throws -> String {
    try JSONValueEncoder().encode(self).text()
  }

  /// - Throws: when the column does not hold what `text()` wrote.
  init(text: String) throws {
    self = try JSONValueDecoder().decode(Self.self, from: JSONParser.parse(Array(text.utf8)))
  }
}
