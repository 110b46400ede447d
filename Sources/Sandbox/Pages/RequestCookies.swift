import Foundation
import HTTPServing
import HTTPTransport

extension HTTPServerRequest {
  /// The cookies of a request by name; of two with one name the last counts.
  var cookies: [String: String] {
    var cookies: [String: String] = [:]
    for pair in headers.all("Cookie").flatMap({ $0.split(separator: ";") }) {
      guard let equals = pair.firstIndex(of: "=") else { continue }
      let name = pair[..<equals].trimmingCharacters(in: .whitespaces)
      cookies[name] = pair[pair.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    }
    return cookies
  }
}
