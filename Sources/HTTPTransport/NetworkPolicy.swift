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
  /// A PEM file whose certificates are trusted instead of the system's. For development and tests.
  package var trustAnchors: String?

  /// A policy; without arguments the one for production.
  package init(
    allowInsecureLoopback: Bool = false, allowPrivateAddresses: Bool = false,
    hosts: [String: URL] = [:], trustAnchors: String? = nil
  ) {
    self.allowInsecureLoopback = allowInsecureLoopback
    self.allowPrivateAddresses = allowPrivateAddresses
    self.hosts = hosts
    self.trustAnchors = trustAnchors
  }
}

/// Where a request really goes.
struct Route: Equatable {
  /// The host contacted, as in `Origin`.
  var host: String
  /// The port contacted.
  var port: Int
  /// The name the server must prove by its certificate; `nil` for plain HTTP.
  var secureName: String?
  /// The `Host` field: the authority of the URL that was asked for.
  var hostHeader: String
  /// The addresses of the host still have to be checked.
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
    let base = mapped(origin.host)
    guard let target = base == nil ? origin : base?.origin else { throw .invalidURL }
    try requireSecure(target)
    return Route(
      host: target.host, port: target.port,
      // The certificate is for the host that was asked for, wherever its server stands.
      secureName: target.scheme == "https" ? origin.host : nil,
      hostHeader: origin.authority,
      // The map is the operator's own word: its targets need no further check.
      needsAddressCheck: base == nil ? try needsCheck(origin) : false)
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
