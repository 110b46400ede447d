import HTTPServing
import HTTPTransport
import StrictJSON

/// A request turned down, in the words and the order of the reference servers (wire §10).
struct XRPCRefusal: Error, Equatable, Sendable {
  var status: Int
  var error: String
  var message: String?

  init(_ status: Int, _ error: String, _ message: String?) {
    self.status = status
    self.error = error
    self.message = message
  }

  /// 400 `InvalidRequest`, the name most faults of a request go by.
  static func invalid(_ message: String) -> Self { Self(400, "InvalidRequest", message) }

  /// 500: what went wrong stays inside (wire §10.1).
  static let internalError = Self(500, "InternalServerError", "Internal Server Error")

  /// 403: the session lacks a permission.
  static func missingScope(_ scope: String) -> Self {
    Self(403, "ScopeMissingError", "Missing required scope \"\(scope)\"")
  }

  /// 413 for JSON bodies; blobs have another name for the same thing (wire §11.4, §11.6).
  static let jsonTooLarge = Self(413, "PayloadTooLargeError", "request entity too large")

  var response: HTTPServerResponse {
    var body: JSONObject = ["error": .string(error)]
    body["message"] = message.map(JSONValue.string)
    return .xrpc(.object(body), status: status)
  }
}

extension HTTPServerResponse {
  /// A JSON answer as resource servers write it: with a charset (wire §16.10), open to any origin.
  static func xrpc(_ body: JSONValue, status: Int = 200) -> HTTPServerResponse {
    var response = HTTPServerResponse.json(
      body.serialized(), status: status, contentType: "application/json; charset=utf-8")
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response
  }
}
