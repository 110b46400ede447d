import HTTPServing
import HTTPTransport
import OpenSSLCrypto
import StrictJSON

/// What stands before the token endpoint and the API: a protection service that knows the mobile
/// application's requests, and limits.
struct PixivGate: Sendable {
  let service: PixivServiceContext

  /// Why a request does not get through; `nil` when it does.
  func refusal(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    let faults = service.faults.current
    // A missing or a general User-Agent is taken for a robot (FB-G4).
    let isApp = request.headers["User-Agent"]?.hasPrefix("Pixiv") == true
    if faults.blocks || !isApp { return Self.blockPage }
    if let status = faults.rateLimitStatus { return PixivAnswer.rateLimit(status: status) }
    guard hashIsRight(request) else {
      return request.path == PixivTokens.path
        ? PixivAnswer.tokenError("invalid_request", "Invalid client hash", code: nil)
        : PixivAnswer.apiError(400, "Invalid client hash")
    }
    return nil
  }

  /// `X-Client-Hash` is the MD5 over `X-Client-Time` and the salt, in lower-case hexadecimal digits.
  private func hashIsRight(_ request: HTTPServerRequest) -> Bool {
    let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00/
    guard let time = request.headers["X-Client-Time"], time.wholeMatch(of: form) != nil,
      let hash = request.headers["X-Client-Hash"]
    else { return false }
    return hash == Hex.text(Digest.md5(Array("\(time)\(service.settings.hashSalt)".utf8)))
  }

  private static let blockPage = HTTPServerResponse.html(
    """
    <!DOCTYPE html>
    <html lang="en"><head><title>Just a moment...</title></head>
    <body><h1>Checking your browser</h1><p>Enable JavaScript and cookies to continue.</p></body>
    </html>
    """, status: 403)
}

/// Answers in the shapes of the real one.
enum PixivAnswer {
  static func json(_ body: JSONObject, status: Int = 200) -> HTTPServerResponse {
    .json(JSONValue.object(body).serialized(), status: status)
  }

  /// A refusal of the token endpoint: 400 for everything (FB-G1).
  static func tokenError(_ error: String, _ message: String, code: Int?) -> HTTPServerResponse {
    var system: JSONObject = ["message": .string(message)]
    system["code"] = code.map { JSONValue($0) }
    return json(
      [
        "has_error": true, "errors": ["system": .object(system)], "error": .string(error),
      ], status: 400)
  }

  /// A grant that is gone, or never was.
  static func invalidGrant(_ message: String) -> HTTPServerResponse {
    tokenError("invalid_grant", message, code: 1508)
  }

  /// A refusal of the API.
  static func apiError(
    _ status: Int, _ message: String, forPeople: String = ""
  ) -> HTTPServerResponse {
    json(
      [
        "error": [
          "user_message": .string(forPeople), "message": .string(message), "reason": "",
          "user_message_details": [:],
        ]
      ], status: status)
  }

  /// The 400 that means that the access token has ended (X9).
  static let tokenEnded = apiError(
    400,
    """
    Error occurred at the OAuth process. Please check your Access Token to fix this. \
    Error Message: invalid_grant
    """)

  /// Says so in words, whatever the status.
  static func rateLimit(status: Int) -> HTTPServerResponse { apiError(status, "Rate Limit") }
}
