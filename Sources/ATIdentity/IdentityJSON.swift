import HTTPTransport
import StrictJSON

/// Reads JSON that came from a look-up.
enum IdentityJSON {
  /// The body as an object, or `nil` when it is something else.
  static func object(_ response: HTTPResponse) -> JSONObject? {
    do {
      return try JSONParser.parse(response.body).objectValue
    } catch {
      return nil
    }
  }
}
