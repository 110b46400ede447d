package import Foundation
import HTTPTransport
import StrictJSON

/// An authorization request the server has taken in advance.
///
/// - SeeAlso: RFC 9126
package struct PushedAuthorization: Equatable, Sendable {
  /// The name under which the browser refers to the request.
  package let requestURI: String
  /// When the name stops to be good.
  package let expiresAt: Date

  /// Reads the endpoint's answer; 200 serves as well as 201.
  ///
  /// - Throws: ``OAuthRequestError/unreadable(_:)`` when a member is missing or wrong.
  package init(_ answer: TokenEndpointClient.Answer) throws(OAuthRequestError) {
    guard let body = JSONValue(ofResponse: answer.response)?.objectValue else {
      throw .unreadable("body")
    }
    guard let requestURI = body["request_uri"]?.stringValue, !requestURI.isEmpty else {
      throw .unreadable("request_uri")
    }
    guard let seconds = body["expires_in"]?.intValue, seconds > 0 else {
      throw .unreadable("expires_in")
    }
    self.requestURI = requestURI
    expiresAt = answer.sentAt.addingTimeInterval(TimeInterval(seconds))
  }

  /// What the browser opens: the endpoint with the client's id and the request's name, nothing else
  /// (G19). A query the endpoint already has is kept.
  package func authorizationURL(endpoint: URL, clientID: String) -> String {
    let text = endpoint.absoluteString
    let query = String(
      decoding: FormURLEncoding.encode([("client_id", clientID), ("request_uri", requestURI)]),
      as: UTF8.self)
    return text + (text.contains("?") ? "&" : "?") + query
  }
}
