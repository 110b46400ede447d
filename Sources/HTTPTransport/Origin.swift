package import Foundation

/// Scheme, host and port of a URL (RFC 6454): what nonces and tokens are bound to.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// The host in lower case; an IPv6 address without its brackets.
  package let host: String
  /// The port, the default one of the scheme included.
  package let port: Int

  /// The origin of an absolute http or https URL; `nil` for any other.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
      !host.isEmpty
    else { return nil }
    switch scheme {
    case "http": port = url.port ?? 80
    case "https": port = url.port ?? 443
    default: return nil
    }
    self.scheme = scheme
    self.host = Self.withoutBrackets(host.lowercased())
  }

  /// `https://host[:port]`: the default port is left out, an IPv6 address stands in brackets.
  package var description: String { "\(scheme)://\(authority)" }

  /// `host[:port]`, as a `Host` field has it.
  package var authority: String {
    let isDefault = port == (scheme == "https" ? 443 : 80)
    return (host.contains(":") ? "[\(host)]" : host) + (isDefault ? "" : ":\(port)")
  }

  /// Whether the host is this machine by its spelling alone: `localhost` or a loopback address.
  package var isLoopback: Bool {
    host == "localhost" || IPAddress(host)?.isLoopback == true
  }

  private static func withoutBrackets(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}

extension URL {
  /// The URL's origin, `nil` unless it is an absolute http or https URL.
  package var origin: Origin? { Origin(self) }
}
