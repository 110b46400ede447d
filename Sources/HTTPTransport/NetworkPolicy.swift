package import Foundation

/// Which hosts may be contacted, and how.
package struct NetworkPolicy: Sendable, Equatable {
  /// Allows loopback addresses, and plain `http` to them. For development and tests.
  package var allowInsecureLoopback: Bool
  /// Allows private and reserved addresses, by `https` only.
  package var allowPrivateAddresses: Bool
  /// Host names (`alice.test`, or `*.test` for every name below it) whose requests are really sent
  /// to another base URL, with the original `Host` header. For development and tests.
  package var hosts: [String: URL]

  /// A policy; without arguments the one for production.
  package init(
    allowInsecureLoopback: Bool = false, allowPrivateAddresses: Bool = false,
    hosts: [String: URL] = [:]
  ) {
    self.allowInsecureLoopback = allowInsecureLoopback
    self.allowPrivateAddresses = allowPrivateAddresses
    self.hosts = hosts
  }
}

/// Where a request really goes.
struct Route: Equatable {
  /// The URL contacted.
  var url: URL
  /// The host contacted, as in `Origin`.
  var host: String
  /// The `Host` header, where it differs from what the URL says.
  var hostHeader: String?
  /// The addresses of the host still have to be looked up and checked.
  var needsAddressCheck: Bool
}

extension NetworkPolicy {
  /// Checks the URL and applies the host map.
  ///
  /// - Throws: `HTTPError.invalidURL`, `.insecureURL` or `.addressRefused`.
  func route(for url: URL) throws(HTTPError) -> Route {
    guard let origin = url.origin, url.user == nil, url.password == nil,
      (1...65535).contains(origin.port)
    else { throw .invalidURL }
    try requireSecure(origin)
    guard let base = mapped(origin.host) else {
      return Route(
        url: url, host: origin.host, hostHeader: nil, needsAddressCheck: try needsCheck(origin))
    }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let target = base.origin
    else { throw .invalidURL }
    try requireSecure(target)
    parts.scheme = target.scheme
    parts.encodedHost = target.host.contains(":") ? "[\(target.host)]" : target.host
    parts.port = base.port
    guard let contacted = parts.url else { throw .invalidURL }
    let name = origin.description.dropFirst(origin.scheme.count + 3)
    // The map is the operator's own word: its targets need no further check.
    return Route(
      url: contacted, host: target.host, hostHeader: String(name), needsAddressCheck: false)
  }

  /// Whether a host with that address may be contacted.
  func allows(_ address: IPAddress) -> Bool {
    address.isPublic || allowPrivateAddresses || (address.isLoopback && allowInsecureLoopback)
  }

  private func requireSecure(_ origin: Origin) throws(HTTPError) {
    guard origin.scheme == "https" || (allowInsecureLoopback && origin.isLoopback) else {
      throw .insecureURL(origin.description)
    }
  }

  /// False for an address already checked; true for a name.
  private func needsCheck(_ origin: Origin) throws(HTTPError) -> Bool {
    // The name is fixed to this machine (RFC 6761 §6.3), and libcurl treats it so.
    let known = origin.host == "localhost" ? IPAddress("127.0.0.1") : IPAddress(origin.host)
    guard let known else { return true }
    guard allows(known) else { throw .addressRefused(origin.host) }
    return false
  }

  private func mapped(_ host: String) -> URL? {
    if let exact = hosts[host] { return exact }
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let wide = hosts["*.\(rest)"] { return wide }
    }
    return nil
  }
}
