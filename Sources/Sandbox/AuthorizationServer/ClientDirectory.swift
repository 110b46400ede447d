import Foundation
import HTTPTransport
import StrictJSON
import SystemClients

/// Finds out who a client is, by fetching the document its id is the address of.
///
/// Documents are kept ten minutes; a failure is not kept. Against the reference server one rule is
/// lifted: names below reserved top-level domains are fetched too, and from any port, since the
/// sandbox's hosts are all of that kind.
/// - SeeAlso: atproto-wire §4.1
actor ClientDirectory {
  private static let lifetime: TimeInterval = 10 * 60
  private let http: HTTPClient
  private let clock: SystemClock
  private var known: [String: (document: ClientDocument, until: Date)] = [:]

  init(http: HTTPClient, clock: SystemClock) {
    self.http = http
    self.clock = clock
  }

  /// - Throws: `invalid_client_metadata` or `invalid_redirect_uri`, whatever the cause: a client
  ///   cannot tell a passing outage from a broken document.
  func client(_ id: String) async throws(OAuthRefusal) -> ClientDocument {
    if isDevelopment(id) { return try ClientDocument(developmentID: id) }
    let url = try address(id)
    let now = clock.now()
    if let entry = known[id], entry.until > now { return entry.document }
    var document = try ClientDocument(
      await fetch(url, what: "client metadata for \"\(id)\""), clientID: id)
    if case .keys(let place) = document.authentication {
      guard place.hasPrefix("https://"), let keys = URL(string: place) else {
        throw .invalidClientMetadata("Invalid jwks_uri")
      }
      document.addKeys(.object(try await fetch(keys, what: "keys from \"\(place)\"")))
    }
    known[id] = (document, now.addingTimeInterval(Self.lifetime))
    return document
  }

  private func isDevelopment(_ id: String) -> Bool {
    guard id.hasPrefix("http://localhost") else { return false }
    let next = id.dropFirst("http://localhost".count).first
    return next == nil || next == "/" || next == "?"
  }

  private func address(_ id: String) throws(OAuthRefusal) -> URL {
    guard id.hasPrefix("https://"), let url = URL(string: id), let host = url.host(),
      url.absoluteString == id
    else { throw .invalidClientMetadata("Invalid client ID \"\(id)\"") }
    let isNumeric = host.contains(":") || host.wholeMatch(of: /[0-9.]+/) != nil
    guard url.user() == nil, url.fragment() == nil, !isNumeric else {
      throw .invalidClientMetadata("Invalid discoverable client ID \"\(id)\"")
    }
    let path = url.path()
    guard path.count > 1, !path.hasSuffix("/"), !path.contains("//"), !path.contains("/.") else {
      throw .invalidClientMetadata("Invalid discoverable client ID \"\(id)\"")
    }
    return url
  }

  private func fetch(_ url: URL, what: String) async throws(OAuthRefusal) -> JSONObject {
    func unavailable(_ reason: String) -> OAuthRefusal {
      .invalidClientMetadata("Unable to obtain \(what): \(reason)")
    }
    var request = HTTPRequest(method: "GET", url: url)
    request.headers["Accept"] = "application/json"
    request.deadline = .seconds(10)
    request.maximumBodyBytes = 512 * 1024
    let response: HTTPResponse
    do { response = try await http.send(request) } catch { throw unavailable("\(error)") }
    guard (200..<300).contains(response.status) else {
      throw unavailable("Unexpected status code \(response.status)")
    }
    guard response.contentType == "application/json" else {
      throw unavailable(
        "Unexpected response Content-Type (\(response.contentType ?? "none"))")
    }
    let value: JSONValue
    do { value = try JSONParser.parse(response.body) } catch {
      throw unavailable("Unable to parse response as JSON")
    }
    guard let object = value.objectValue else { throw unavailable("Expected object") }
    return object
  }
}
