import ATSyntax
import Foundation
import HTTPServing
import StrictJSON
import SystemClients

/// `POST /oauth/par`: takes an authorization request from the client, checks all of it, and keeps
/// it for the browser to come.
///
/// The order of the checks is the reference server's (atproto-wire §5.1).
struct PushedRequestEndpoint: Sendable {
  let server: AuthorizationContext

  /// - Returns: the members of the 201 answer.
  /// - Throws: `OAuthRefusal`, or a store error.
  func answer(_ request: HTTPServerRequest) async throws -> JSONObject {
    let body = try OAuthBody(request)
    let clientID = try body.clientID(or: OAuthRefusal.invalidClient)
    let fields: PushedFields
    do throws(FieldComplaint) { fields = try PushedFields(body) } catch {
      throw OAuthRefusal.invalidRequest("Invalid authorization request: \(error.words)")
    }
    let proof = try server.proof(of: request, path: "/oauth/par")
    let (client, key) = try await server.authenticated(clientID, body, proof: proof)
    if let proof, let claimed = fields.thumbprint, claimed != proof.thumbprint {
      throw OAuthRefusal.invalidKeyBinding
    }
    var parameters = try checked(fields, client: client)
    parameters.thumbprint = proof?.thumbprint ?? fields.thumbprint
    parameters.clientKey = key
    return try await keep(parameters)
  }

  private func keep(_ parameters: AuthorizationParameters) async throws -> JSONObject {
    let lifetime = server.lifetimes.request
    let now = server.now
    let id = RequestURI.newID(server.random)
    let expiry = now.addingTimeInterval(lifetime.seconds)
    try await server.store.insertRequest(
      id: id, parameters: parameters, expiresAt: expiry, now: now)
    let remaining = expiry.timeIntervalSince(server.now).rounded(.down)
    return [
      "request_uri": .string(RequestURI.text(id: id)),
      "expires_in": .number(JSONNumber(Int(remaining))),
    ]
  }

  private func checked(
    _ fields: PushedFields, client: ClientDocument
  ) throws(OAuthRefusal) -> AuthorizationParameters {
    if let name = fields.refusedField {
      throw .invalidRequest("Unsupported \"\(name)\" parameter")
    }
    guard fields.responseType == "code" else {
      throw .unsupportedResponseType(fields.responseType)
    }
    for item in fields.scope where !client.scope.contains(item) {
      throw .invalidScope("Scope \"\(item)\" is not declared in the client metadata")
    }
    let redirect = try redirectURI(fields, client)
    let challenge = try challenge(fields)
    guard fields.scope.contains("atproto") else {
      throw .invalidScope("The \"atproto\" scope is required")
    }
    guard !fields.scope.contains("openid") else {
      throw .invalidScope("OpenID Connect is not compatible with atproto")
    }
    guard fields.challengeMethod == "S256" else {
      throw .invalidRequest("atproto requires use of \"S256\" code_challenge_method")
    }
    let isPublic = client.authentication == .none
    guard !isPublic || fields.prompt != "none" else {
      throw .invalidRequest("Public clients are not allowed to use silent-sign-on")
    }
    let hint = try loginHint(fields)
    return AuthorizationParameters(
      clientID: client.id, redirectURI: redirect, scope: try understood(fields.scope),
      state: fields.state, challenge: challenge,
      // Public clients always meet the consent page.
      prompt: isPublic && fields.prompt != "create" ? "consent" : fields.prompt ?? "consent",
      loginHint: hint, responseMode: fields.responseMode)
  }

  private func redirectURI(
    _ fields: PushedFields, _ client: ClientDocument
  ) throws(OAuthRefusal) -> String {
    guard let requested = fields.redirectURI else {
      guard client.redirectURIs.count == 1, let only = client.redirectURIs.first else {
        throw .invalidRequest("redirect_uri is required")
      }
      return only
    }
    let isRegistered = client.redirectURIs.contains {
      RedirectTarget.matches(registered: $0, requested: requested)
    }
    guard isRegistered else { throw .invalidRequest("Invalid redirect_uri \(requested)") }
    return requested
  }

  private func challenge(_ fields: PushedFields) throws(OAuthRefusal) -> String {
    guard let challenge = fields.challenge, !challenge.isEmpty else {
      throw .invalidRequest(
        fields.challengeMethod == nil
          ? "Use of PKCE is required"
          : "code_challenge is required when code_challenge_method is provided")
    }
    return challenge
  }

  private func loginHint(_ fields: PushedFields) throws(OAuthRefusal) -> String? {
    guard let hint = fields.loginHint?.lowercased() else { return nil }
    guard isDID(hint) || isHandle(hint) else {
      throw .invalidRequest("Invalid login_hint \"\(hint)\"")
    }
    return hint
  }

  private func isDID(_ text: String) -> Bool {
    guard text.hasPrefix("did:plc:") || text.hasPrefix("did:web:") else { return false }
    do { return try DID(text).rawValue == text } catch { return false }
  }

  private func isHandle(_ text: String) -> Bool {
    do { return try Handle(text).rawValue == text } catch { return false }
  }

  /// The items the server can parse, each once; what it cannot is dropped without a word
  /// (atproto-wire §5.3), what it cannot even decode breaks it (§12.2).
  private func understood(_ items: [String]) throws(OAuthRefusal) -> [String] {
    var kept: [String] = []
    for item in ScopeText.unique(items) {
      let scope: SandboxScope
      do throws(SandboxScopeError) { scope = try SandboxScope.parse(item) } catch {
        if error == .undecodable { throw .serverError }
        continue
      }
      if let set = scope.includeNSID?.rawValue, !server.permissionSets.knows(set) {
        throw .invalidScope("Failed to resolve lexicon (\(set))")
      }
      kept.append(item)
    }
    return kept
  }
}

/// The name under which a pushed request is asked for.
enum RequestURI {
  private static let prefix = "urn:ietf:params:oauth:request_uri:"

  static func newID(_ random: SystemRandom) -> String {
    "req-" + Hex.text(random.bytes(16))
  }

  static func text(id: String) -> String { prefix + id }

  /// The request's id; `nil` when the text is no request URI of this server's form.
  static func id(_ text: String) -> String? {
    guard text.hasPrefix(prefix) else { return nil }
    let id = String(text.dropFirst(prefix.count))
    return id.wholeMatch(of: /req-[0-9a-f]{32}/) == nil ? nil : id
  }
}
