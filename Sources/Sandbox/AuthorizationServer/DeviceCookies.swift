import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto
import SystemClients

/// The browser a request comes from, told by its cookies.
struct Device: Sendable, Equatable {
  let id: String
  /// The secret half, which forms are tied to.
  let cookie: String
  /// `Set-Cookie` values for the answer; empty for a browser already known.
  let newCookies: [String]
}

/// Knows browsers again by two cookies, as the reference server does (`dev-id`, `ses-id`).
///
/// Browsers do not tell ports apart when they send cookies, and several of these servers share one
/// address, so the port is part of the names.
struct DeviceCookies: Sendable {
  let server: AuthorizationContext

  /// The device of a request, a new one where its cookies are missing or strange.
  func load(_ request: HTTPServerRequest) async throws -> Device {
    let cookies = request.cookies
    if let id = cookies[name("dev-id")], let cookie = cookies[name("ses-id")],
      try await server.store.knowsDevice(id, cookie: cookie)
    {
      return Device(id: id, cookie: cookie, newCookies: [])
    }
    let id = "dev-" + Hex.text(server.random.bytes(16))
    let cookie = "ses-\(Canary.marker)" + Hex.text(server.random.bytes(16))
    try await server.store.insertDevice(id, cookie: cookie)
    return Device(
      id: id, cookie: cookie, newCookies: [setting("dev-id", id), setting("ses-id", cookie)])
  }

  /// The value a form carries to show that it was served to this browser for this request.
  func formToken(_ device: Device, request: String) async throws -> String {
    let key = try await server.secrets.formKey()
    return Hex.text(HMAC.sha256(key: key, message: Array("\(device.cookie) \(request)".utf8)))
  }

  private func name(_ base: String) -> String {
    let port = URL(string: server.issuer)?.port
    return port.map { "\(base)-\($0)" } ?? base
  }

  private func setting(_ base: String, _ value: String) -> String {
    let secure = server.issuer.hasPrefix("https:") ? "; Secure" : ""
    return "\(name(base))=\(value); Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax\(secure)"
  }
}
