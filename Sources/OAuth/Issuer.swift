import HTTPTransport
import Foundation

/// An authorization server's name: an origin in its one canonical spelling, without a trailing slash.
///
/// Names are compared byte for byte, so a spelling that needs normalising is refused.
///
/// - SeeAlso: RFC 8414 §2, atproto-wire §3.3
package struct Issuer: Hashable, Sendable, CustomStringConvertible {
  /// The name as every document and callback must spell it.
  package let rawValue: String

  /// Checks a name.
  ///
  /// - `allowInsecureLoopback`: development only: http to a loopback host.
  /// - Throws: ``MetadataError/notAnIssuer(_:)``.
  package init(
    _ text: String, allowInsecureLoopback: Bool = false
  ) throws(MetadataError) {
    guard
      let url = URL(string: text), let origin = Origin(url), origin.description == text,
      EndpointURL.isAcceptable(url, allowInsecureLoopback: allowInsecureLoopback)
    else { throw .notAnIssuer(text) }
    rawValue = text
  }

  package var description: String { rawValue }
}
