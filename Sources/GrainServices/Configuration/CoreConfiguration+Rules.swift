import Foundation
import HTTPTransport
import OAuth

extension CoreConfiguration {
  /// - Throws: the first value that cannot work, by its place in the file.
  func check() throws(ConfigurationError) {
    let addresses = [
      ("/clientID", clientID), ("/appServer", appServer), ("/handleResolver", handleResolver),
      ("/plcDirectory", plcDirectory), ("/signUpPDS", signUpPDS),
      ("/pixivLoginBase", pixivLoginBase), ("/pixivTokenURL", pixivTokenURL),
      ("/pixivAPIBase", pixivAPIBase),
    ]
    for (place, text) in addresses where !isAddress(text) {
      throw ConfigurationError("\(place): expected an https address")
    }
    for (name, base) in hosts.sorted(by: { $0.key < $1.key }) where !isAddress(base) {
      throw ConfigurationError("/hosts/\(name): expected an address")
    }
    for (place, text) in [
      ("/redirectURI", redirectURI), ("/platriumRedirectURI", platriumRedirectURI),
    ] {
      do {
        _ = try CallbackRoute(redirectURI: text)
      } catch {
        throw ConfigurationError("\(place): expected a redirect URI")
      }
    }
    if !platriumServer.isEmpty, platrium(nil) == nil {
      throw ConfigurationError("/platriumServer: expected the https address of a service")
    }
    if platriumClientName.isEmpty {
      throw ConfigurationError("/platriumClientName: expected a name")
    }
    guard (0...65_535).contains(loopbackPort) else {
      throw ConfigurationError("/loopbackPort: expected a port, or 0 for a free one")
    }
    if appView == nil { throw ConfigurationError("/appViewDID: expected a DID") }
    for (place, number) in limits.places + times.places where number < 1 {
      throw ConfigurationError("\(place): expected a number of at least 1")
    }
  }

  /// Plain http only where development allows it; that it goes to loopback is the transport's rule.
  private func isAddress(_ text: String) -> Bool {
    guard let url = URL(string: text), Origin(url) != nil else { return false }
    return url.scheme == "https" || (url.scheme == "http" && allowInsecureLoopback)
  }
}

extension CoreConfiguration {
  /// Whether handles below `.test` are looked up. Nobody has such a name in the world; they are for
  /// development, and so is whatever makes one reachable: a name below `.test` that is led somewhere,
  /// or servers on this machine that answer for any name (wire §1.1).
  package var looksUpTestNames: Bool {
    allowInsecureLoopback || hosts.keys.contains { $0.lowercased().hasSuffix(".test") }
  }
}

extension CoreConfiguration.PublishLimits {
  fileprivate var places: [(String, Int)] {
    [
      ("/limits/photos", photos), ("/limits/width", width), ("/limits/height", height),
      ("/limits/bytes", bytes), ("/limits/parallelUploads", parallelUploads),
      ("/limits/indexBatch", indexBatch), ("/limits/draftDays", draftDays),
    ]
  }
}

extension CoreConfiguration.Times {
  fileprivate var places: [(String, Int)] {
    [
      ("/times/requestMs", requestMs), ("/times/uploadMs", uploadMs),
      ("/times/browserMs", browserMs), ("/times/loopbackMs", loopbackMs),
      ("/times/revocationMs", revocationMs),
      ("/times/refreshLeadMs", refreshLeadMs),
    ]
  }
}
