import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto

/// Sends the person back to the client: with a code, or with an error.
///
/// - SeeAlso: RFC 6749 §4.1.2, RFC 9207, atproto-wire §7.2
struct RedirectAnswer: Sendable {
  let parameters: AuthorizationParameters
  /// `iss` of the answer; `nil` leaves it out, as a faulty server would.
  let issuer: String?

  /// The answer that carries a code.
  func code(_ code: String) -> HTTPServerResponse {
    response(state + iss + [("code", code)])
  }

  /// The answer to a person's own "no" on a page.
  func rejected() -> HTTPServerResponse {
    response(state + iss + Self.error("access_denied", "The user rejected the request"))
  }

  /// The answer to a request that cannot go on; the order of parameters differs from that of a
  /// page's answer, as at the reference server.
  func refused(_ error: String, _ description: String) -> HTTPServerResponse {
    response(iss + state + Self.error(error, description))
  }

  private var state: [(String, String)] { parameters.state.map { [("state", $0)] } ?? [] }
  private var iss: [(String, String)] { issuer.map { [("iss", $0)] } ?? [] }

  private static func error(_ error: String, _ description: String) -> [(String, String)] {
    [("error", error), ("error_description", description)]
  }

  private func response(_ fields: [(String, String)]) -> HTTPServerResponse {
    var response: HTTPServerResponse
    switch parameters.responseMode {
    case "form_post": response = AutomaticFormPage.response(parameters.redirectURI, fields)
    case "fragment":
      response = .redirect(to: "\(Self.normal(parameters.redirectURI))#\(Self.form(fields))")
    default: response = .redirect(to: Self.adding(fields, to: parameters.redirectURI))
    }
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  private static func adding(_ fields: [(String, String)], to uri: String) -> String {
    let uri = normal(uri)
    let fragment = uri.firstIndex(of: "#").map { String(uri[$0...]) } ?? ""
    let base = uri.dropLast(fragment.count)
    let separator = !base.contains("?") ? "?" : base.hasSuffix("?") ? "" : "&"
    return base + separator + form(fields) + fragment
  }

  /// The URI as a WHATWG parser writes it: an empty path becomes `/`.
  private static func normal(_ uri: String) -> String {
    guard let scheme = uri.prefixMatch(of: /https?:\/\//)?.0 else { return uri }
    let authority = uri.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let rest = uri[authority.endIndex...]
    return rest.hasPrefix("/") ? uri : "\(scheme)\(authority)/\(rest)"
  }

  /// Web-form encoding: a space is `+`, `~` is `%7E`.
  static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
  }

  private static func encode(_ text: String) -> String {
    text.utf8.map { byte -> String in
      switch byte {
      case 0x20: "+"
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + Hex.text([byte]).uppercased()
      }
    }.joined()
  }
}
