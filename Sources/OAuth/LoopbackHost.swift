/// The addresses of this machine that a redirect may name.
package enum LoopbackHost {
  /// Whether a URL's host is one of the two address literals; the name `localhost` is not, because it
  /// may lead elsewhere (FB-B2, atproto-wire §4.2).
  package static func isLiteral(_ host: String) -> Bool {
    ["127.0.0.1", "::1", "[::1]"].contains(host)
  }
}
