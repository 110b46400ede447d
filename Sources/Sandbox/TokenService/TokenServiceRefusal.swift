import HTTPServing
import HTTPTransport
import StrictJSON

/// A request turned down: `{error, message}` (grain-product §18).
struct TokenServiceRefusal: Error, Equatable, Sendable {
  var status: Int
  var error: String
  var message: String
  /// In seconds.
  var retryAfter: Int?

  init(_ status: Int, _ error: String, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.error = error
    self.message = message
    self.retryAfter = retryAfter
  }

  static let unauthorized = Self(401, "unauthorized", "Sign in first.")
  /// A credential was sent and is none; no other one is looked at (P30).
  static let badToken = Self(401, "unauthorized", "This token is not valid.")
  static let tokenCannot = Self(403, "forbidden", "This needs a browser session.")
  static let notADevice = Self(403, "forbidden", "Only a device can have push.")
  static let foreignForm = Self(403, "forbidden", "This form was not served to this browser.")
  static let invalidRedirect = Self(
    400, "invalid_redirect", "This redirect address is not allowed.")
  /// One answer for every way in which a code is no good.
  static let invalidGrant = Self(400, "invalid_grant", "The code is not valid.")
  static let notFound = Self(404, "not_found", "There is no such thing.")
  static let notJSON = Self(415, "unsupported_media_type", "Send application/json.")

  static func missing(_ field: String) -> Self {
    Self(400, "invalid_request", "\(field) is missing.")
  }
  static func invalid(_ field: String) -> Self {
    Self(400, "invalid_request", "\(field) is not valid.")
  }

  /// The refusal as the API answers it.
  var response: HTTPServerResponse {
    var response = HTTPServerResponse.platrium(
      ["error": .string(error), "message": .string(message)], status: status)
    response.headers["Retry-After"] = retryAfter.map(String.init)
    if status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
    return response
  }
}

extension HTTPServerResponse {
  /// JSON that nobody keeps and no other origin reads.
  static func platrium(_ body: JSONObject, status: Int = 200) -> HTTPServerResponse {
    var response = HTTPServerResponse.json(JSONValue.object(body).serialized(), status: status)
    response.headers["Cache-Control"] = "no-store"
    return response
  }
}
