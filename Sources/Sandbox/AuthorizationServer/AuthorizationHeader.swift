import HTTPServing
import HTTPTransport
import StrictJSON

/// The `Authorization` field of a resource request: a DPoP token, or why it is none.
///
/// - SeeAlso: atproto-wire §§10.1, 10.2
enum AuthorizationHeader {
  case dpop(String)
  case refused(HTTPServerResponse)

  init(_ field: String?) {
    guard let field else {
      self = .refused(Self.xrpc(401, "AuthMissing", "Authentication Required"))
      return
    }
    let parts = field.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      self = .refused(Self.xrpc(400, "InvalidToken", "Malformed authorization header"))
      return
    }
    switch parts[0].lowercased() {
    case "dpop" where parts[1].isEmpty:
      self = .refused(Self.xrpc(400, "invalid_request", "Invalid authorization header"))
    case "dpop": self = .dpop(parts[1])
    case "bearer": self = .refused(Self.xrpc(400, "InvalidToken", "Malformed token"))
    case "basic":
      self = .refused(Self.xrpc(400, "InvalidToken", "Unexpected authorization type"))
    default:
      self = .refused(
        Self.xrpc(400, "InvalidToken", "Unsupported authorization type: \(parts[0])"))
    }
  }

  /// An error answer as XRPC spells it, never cached for another caller.
  static func xrpc(_ status: Int, _ error: String, _ message: String) -> HTTPServerResponse {
    let body: JSONObject = ["error": .string(error), "message": .string(message)]
    var response = HTTPServerResponse.json(
      JSONValue.object(body).serialized(), status: status,
      contentType: "application/json; charset=utf-8")
    response.headers["Cache-Control"] = "private"
    response.headers["Vary"] = "Authorization"
    return response
  }
}
