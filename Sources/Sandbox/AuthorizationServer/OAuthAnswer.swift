import HTTPServing
import HTTPTransport
import StrictJSON

/// Answers of the OAuth endpoints, with the headers each kind of answer carries.
enum OAuthAnswer {
  /// The answer of `/oauth/par`, `/oauth/token` or `/oauth/revoke`: never cached, always with a
  /// nonce, JSON without a charset (atproto-wire §§5.2, 16.10).
  static func endpoint(_ body: JSONObject, status: Int, nonce: String) -> HTTPServerResponse {
    var response = json(body, status: status)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Pragma"] = "no-cache"
    response.headers["DPoP-Nonce"] = nonce
    response.headers["Access-Control-Expose-Headers"] = "DPoP-Nonce"
    return response
  }

  /// An endpoint's refusal.
  static func refusal(_ refusal: OAuthRefusal, nonce: String) -> HTTPServerResponse {
    var response = endpoint(refusal.body, status: refusal.status, nonce: nonce)
    if refusal.isChallenge {
      response.headers["WWW-Authenticate"] = refusal.challenge
      response.headers["Access-Control-Expose-Headers"] = "DPoP-Nonce, WWW-Authenticate"
    }
    return response
  }

  /// A public document: no nonce, good for five minutes (atproto-wire §3.2).
  static func document(_ body: JSONObject) -> HTTPServerResponse {
    var response = json(body, status: 200)
    response.headers["Cache-Control"] = "max-age=300"
    return response
  }

  /// The answer to a CORS preflight.
  static let preflight: HTTPServerResponse = {
    var response = HTTPServerResponse.empty(status: 200)
    addCORS(&response)
    return response
  }()

  /// 406 in XRPC's spelling: the caller takes no JSON.
  static let notAcceptable: HTTPServerResponse = {
    let body: JSONObject = [
      "error": "NotAcceptableError", "message": "Unsupported accept header",
    ]
    var response = HTTPServerResponse.json(JSONValue.object(body).serialized(), status: 406)
    addCORS(&response)
    return response
  }()

  /// The web framework's own page for a path or method nobody serves.
  static func notFound(method: String, path: String) -> HTTPServerResponse {
    let line = HTML.escape("Cannot \(method) \(path)")
    let page = """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><title>Error</title></head>
      <body><pre>\(line)</pre></body>
      </html>
      """
    return .html(page, status: 404)
  }

  private static func json(_ body: JSONObject, status: Int) -> HTTPServerResponse {
    var response = HTTPServerResponse.json(JSONValue.object(body).serialized(), status: status)
    addCORS(&response)
    return response
  }

  private static func addCORS(_ response: inout HTTPServerResponse) {
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Allow-Methods"] = "*"
    response.headers["Access-Control-Allow-Headers"] = "Content-Type,DPoP"
    response.headers["Access-Control-Max-Age"] = "86400"
  }
}
