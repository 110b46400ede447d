import ATSyntax
import SystemClients
import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON

/// `com.atproto.server.*` and `com.atproto.identity.*`.
extension PersonalDataServer {
  func describeServer() -> HTTPServerResponse {
    .xrpc([
      "did": .string(did),
      "availableUserDomains": .array(accounts.handleDomains.map(JSONValue.string)),
      "inviteCodeRequired": false,
      "blobUploadLimit": .number(JSONNumber(settings.blobUploadLimit)), "links": [:],
      "contact": [:],
    ])
  }

  func getSession(_ grant: AccessGrant) async throws -> HTTPServerResponse {
    guard let account = await accounts.account(grant.did.rawValue) else {
      throw XRPCRefusal(403, "AccountNotFound", "Account not found")
    }
    var session: JSONObject = [
      "did": .string(account.did.rawValue), "handle": .string(account.handle.rawValue),
      "active": .bool(account.status == .active),
    ]
    if account.status != .active { session["status"] = .string(account.status.rawValue) }
    if grant.mayReadEmail {
      session["email"] = .string(account.email)
      session["emailConfirmed"] = true
    }
    return .xrpc(.object(session))
  }

  /// A token for one service, handed to the client instead of used by the proxy (wire §10.4).
  func getServiceAuth(
    _ grant: AccessGrant, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let parameters = XRPCParameters(
      NSID(constant: "com.atproto.server.getServiceAuth"), of: request)
    let audience = try parameters.required("aud")
    let method = try parameters.optional("lxm", as: NSID.self)
    let now = Int(clock.now().timeIntervalSince1970)
    let expiry = try parameters.integer("exp", in: 0...Int.max, default: now + 60)
    guard expiry > now else {
      throw XRPCRefusal(400, "BadExpiration", "expiration is in past")
    }
    guard expiry - now <= 3600 else {
      throw XRPCRefusal(
        400, "BadExpiration",
        "cannot request a token with an expiration more than an hour in the future")
    }
    guard method != nil || expiry - now <= 60 else {
      throw XRPCRefusal(
        400, "BadExpiration",
        "cannot request a method-less token with an expiration more than a minute in the future")
    }
    if let method {
      try grant.requireRPC(method, aud: audience)
    } else {
      let items = grant.scopes.compactMap { SandboxScope($0) }
      guard items.contains(where: { $0.allowsRPC(lxm: "*", aud: audience) }) else {
        throw XRPCRefusal.missingScope("rpc:*?aud=\(audience.replacing("#", with: "%23"))")
      }
    }
    let token = try await serviceToken(
      for: grant.did, audience: audience, method: method?.rawValue, expiry: expiry)
    return .xrpc(["token": .string(token)])
  }

  /// Wire §1.3, the two ways of not finding included.
  func resolveHandle(_ parameters: XRPCParameters) async throws -> HTTPServerResponse {
    let handle = try parameters.required("handle", as: Handle.self)
    if let account = await accounts.account(handle.rawValue) {
      return .xrpc(["did": .string(account.did.rawValue)])
    }
    guard !accounts.handleDomains.contains(where: handle.rawValue.hasSuffix) else {
      throw XRPCRefusal(400, "HandleNotFound", "Unable to resolve handle")
    }
    guard let did = await HandleLookup(http: http).did(of: handle) else {
      throw XRPCRefusal.invalid("Unable to resolve handle")
    }
    return .xrpc(["did": .string(did.rawValue)])
  }
}
