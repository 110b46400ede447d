import ATSyntax

/// The fields of a pushed authorization request, each of the right form; unknown ones are dropped.
///
/// - SeeAlso: RFC 9126 §2.1, atproto-wire §5.1
struct PushedFields: Sendable {
  /// Types OAuth registers: one of these is unsupported, anything else is malformed.
  private static let responseTypes = [
    "code", "token", "none", "code id_token token", "code id_token", "code token",
    "id_token token", "id_token",
  ]

  let responseType: String
  let redirectURI: String?
  let scope: [String]
  let state: String?
  let challenge: String?
  let challengeMethod: String?
  let loginHint: String?
  let prompt: String?
  let responseMode: String
  let thumbprint: String?
  /// The first field the server refuses to know.
  let refusedField: String?

  init(_ body: OAuthBody) throws(FieldComplaint) {
    func choice(_ name: String, _ values: [String]) throws(FieldComplaint) -> String? {
      guard let text = try body.text(name) else { return nil }
      guard values.contains(text) else {
        throw FieldComplaint("Invalid enum value (received \"\(text)\")", field: name)
      }
      return text
    }
    guard let type = try choice("response_type", Self.responseTypes) else {
      throw FieldComplaint("Required", field: "response_type")
    }
    responseType = type
    redirectURI = try Self.redirect(body)
    scope = try Self.scope(body)
    let state = try body.text("state")
    self.state = state?.isEmpty == true ? nil : state
    challenge = try body.text("code_challenge")
    challengeMethod = try choice("code_challenge_method", ["S256", "plain"])
    loginHint = try body.text("login_hint") == nil ? nil : body.required("login_hint")
    prompt = try choice("prompt", ["none", "login", "consent", "select_account", "create"])
    responseMode = try choice("response_mode", ["query", "fragment", "form_post"]) ?? "query"
    thumbprint = try body.text("dpop_jkt")
    _ = try choice("display", ["page", "popup", "touch", "wap"])
    if let age = try body.text("max_age"), Int(age).map({ $0 >= 0 }) != true {
      throw FieldComplaint("Expected number", field: "max_age")
    }
    if let locales = try body.text("ui_locales"),
      locales.wholeMatch(of: /[A-Za-z0-9-]+( [A-Za-z0-9-]+)*/) == nil
    {
      throw FieldComplaint("Invalid", field: "ui_locales")
    }
    var refused: String?
    for name in ["claims", "id_token_hint", "nonce"] where refused == nil {
      refused = try body.text(name) == nil ? nil : name
    }
    refusedField = refused
  }

  private static func redirect(_ body: OAuthBody) throws(FieldComplaint) -> String? {
    guard let text = try body.text("redirect_uri") else { return nil }
    do { _ = try RedirectTarget(text) } catch {
      throw FieldComplaint(error.description, field: "redirect_uri")
    }
    return text
  }

  private static func scope(_ body: OAuthBody) throws(FieldComplaint) -> [String] {
    guard let text = try body.text("scope") else { return [] }
    guard ScopeText.isWellFormed(text) else {
      throw FieldComplaint("Invalid scope", field: "scope")
    }
    return ScopeText.items(text)
  }
}
