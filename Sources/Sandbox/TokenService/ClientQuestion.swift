import HTTPServing
import HTTPTransport
import StrictJSON

/// What a native client asks the person for (grain-product §18): read the same way from the address of the
/// page, from its form, and from JSON.
struct ClientQuestion: Sendable, Equatable {
  let redirectURI: String
  let codeChallenge: String
  let state: String
  /// Shown to the person.
  let name: String
  /// Makes the client a device (P14); an open set.
  let platform: String?
  let appVersion: String?

  /// Reads the fields; `field` gives a field’s text, `nil` where there is none.
  ///
  /// - Throws: `TokenServiceRefusal` for a redirect that is not allowed, and for anything missing.
  init(
    _ field: (String) -> String?, redirects: NativeRedirects
  ) throws(TokenServiceRefusal) {
    func text(_ name: String, limit: Int) throws(TokenServiceRefusal) -> String {
      guard let text = field(name), !text.isEmpty else { throw .missing(name) }
      guard text.utf8.count <= limit else { throw .invalid(name) }
      return text
    }
    redirectURI = try text("redirect_uri", limit: 2000)
    guard redirects.allows(redirectURI) else { throw .invalidRedirect }
    codeChallenge = try text("code_challenge", limit: 43)
    guard codeChallenge.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil else {
      throw .invalid("code_challenge")
    }
    guard field("code_challenge_method") == "S256" else { throw .invalid("code_challenge_method") }
    state = try text("state", limit: 500)
    name = try text("name", limit: 100)
    guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw .invalid("name")
    }
    platform = field("platform").flatMap { $0.isEmpty ? nil : $0 }
    if let platform, platform.wholeMatch(of: /[A-Z][A-Z0-9_]{0,31}/) == nil {
      throw .invalid("platform")
    }
    // Of interest for a device only.
    appVersion = platform == nil ? nil : field("app_version").flatMap { $0.isEmpty ? nil : $0 }
    guard (appVersion?.utf8.count ?? 0) <= 64 else { throw .invalid("app_version") }
  }

  /// The fields as a form or an address carries them.
  var fields: [(String, String)] {
    var fields = [
      ("redirect_uri", redirectURI), ("code_challenge", codeChallenge),
      ("code_challenge_method", "S256"), ("state", state), ("name", name),
    ]
    if let platform { fields.append(("platform", platform)) }
    if let appVersion { fields.append(("app_version", appVersion)) }
    return fields
  }

  /// What kind of client the answer will make.
  var kind: TokenServiceClient.Kind { platform == nil ? .app : .device }
}
