package import PlatriumTokens

extension CoreConfiguration {
  /// The Platrium service at an address a person typed, or the configured one; `nil` where no service can
  /// be, or none is named.
  package func platrium(_ server: String?) -> PlatriumServer? {
    let typed = server ?? platriumServer
    guard !typed.isEmpty else { return nil }
    do throws(PlatriumServer.Invalid) {
      return try PlatriumServer(typed, allowInsecureLoopback: allowInsecureLoopback)
    } catch {
      return nil
    }
  }
}
