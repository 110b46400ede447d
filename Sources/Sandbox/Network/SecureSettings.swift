import Foundation

/// How a network is served over https, under names of its own.
///
/// Programs that were not written for this sandbox refuse plain http, loopback addresses and often
/// ports: they meet it here as they would meet any server. One port serves all names.
package struct SecureSettings: Sendable, Equatable {
  /// What every name ends in: `pds.test`, `plc.test`, `alice.test`. Some programs refuse `.test` too
  /// and take `example.com`, which nobody owns either.
  package var domain = "test"
  /// The port of all servers; 443 leaves their addresses without one. 0 for any free port.
  package var port = 0
  /// Where it listens: a loopback address, or another one of this machine's loopback interface.
  package var address = "127.0.0.1"
  /// Where the authority's certificate is written (PEM), for everybody who shall trust it.
  package var authorityFile: String

  /// The network under `.test` on any free port of 127.0.0.1.
  package init(authorityFile: String) {
    self.authorityFile = authorityFile
  }
}

/// How clients meet a network that is served over https.
package struct SecureAddresses: Sendable, Equatable {
  /// The address all names stand for.
  package let address: String
  /// The port all names are served at.
  package let port: Int
  /// The authority's certificate, in PEM.
  package let authorityFile: String
  /// Every name there is now, servers first, for a hosts file.
  package let names: [String]

  /// Where a client that knows no such names sends its requests.
  var base: URL? {
    URL(
      string: address.contains(":") ? "https://[\(address)]:\(port)" : "https://\(address):\(port)")
  }
}

/// Why a network was not started.
package enum SandboxStartError: Error, Equatable, Sendable {
  /// The domain is none: handles could not stand below it.
  case invalidDomain(String)
  /// There is a file that no sandbox has written.
  case foreignFile(String)
}
