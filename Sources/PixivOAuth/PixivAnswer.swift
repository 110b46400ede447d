import HTTPTransport
import StrictJSON

/// One answer of Pixiv's, read in all the shapes its errors come in (grain-product §19).
struct PixivAnswer: Sendable {
  let response: HTTPResponse
  let json: JSONValue?
  private let secrets: [String]

  /// `secrets` were sent and may be repeated to nobody (FB-A34).
  init(_ response: HTTPResponse, hiding secrets: [String]) {
    self.response = response
    self.secrets = secrets
    do {
      json = try JSONParser.parse(response.body, limits: .document)
    } catch {
      json = nil
    }
  }

  var isSuccess: Bool { (200..<300).contains(response.status) }

  /// The provider's words: `errors.system.message` at the token endpoint; `error.user_message`, then
  /// `error.message` at the API. For display, cleaned.
  var message: String? {
    let candidates = [
      json?["errors"]?["system"]?["message"], json?["error"]?["user_message"],
      json?["error"]?["message"],
    ]
    let text = candidates.lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty }
    return text.map { ServerText.clean($0, hiding: secrets, limit: 300) }
  }

  /// The OAuth error code of the token endpoint.
  var oauthError: String? { json?["error"]?.stringValue }

  /// The number the provider gives its errors.
  var systemCode: Int? { json?["errors"]?["system"]?["code"]?.intValue }

  /// A page instead of JSON: something stands between us and the provider (FB-G4).
  var isBlockPage: Bool {
    json == nil && !isSuccess && response.contentType == "text/html"
  }

  /// `Rate Limit`, whatever the status.
  var isRateLimit: Bool {
    response.status == 429 || json?["error"]?["message"]?.stringValue == "Rate Limit"
  }

  /// A 401, or the 400 that means that the access token has ended; no other 400 does (X9).
  var saysTokenEnded: Bool {
    if response.status == 401 { return true }
    let message = json?["error"]?["message"]?.stringValue
    return response.status == 400
      && message?.hasPrefix("Error occurred at the OAuth process") == true
  }

  /// What is wrong whoever asked; `nil` when that depends on what was asked.
  var commonError: PixivError? {
    if isRateLimit { return .rateLimited(retryAfter: response.retryAfter) }
    if isBlockPage { return .blocked(status: response.status) }
    return nil
  }
}
