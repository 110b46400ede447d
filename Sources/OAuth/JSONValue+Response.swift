import HTTPTransport
import StrictJSON

extension JSONValue {
  /// A response's body as JSON, or `nil` when it is none.
  init?(ofResponse response: HTTPResponse) {
    do {
      self = try JSONParser.parse(response.body)
    } catch {
      return nil
    }
  }
}
