package import Foundation
package import HTTPTransport
import SystemClients

/// The newest DPoP nonce of every server, kept in memory by origin (G31, G32).
///
/// The origin of the server that answered counts, never an issuer's name: on a self-contained PDS the
/// authorization server and the resource server share nonces, behind an entryway they do not.
package final class NonceStore: Sendable {
  /// More origins than any person signs in at; the bound keeps a hostile server from filling memory.
  private static let capacity = 512

  private let nonces = Locked<[Origin: String]>([:])

  /// An empty store.
  package init() {}

  /// The nonce to put into the next proof for this URL, if its origin has sent one.
  package func nonce(for url: URL) -> String? {
    guard let origin = Origin(url) else { return nil }
    return nonces.withLock { $0[origin] }
  }

  /// Remembers the nonce a response carries, whatever its status (FB-A1, G102).
  ///
  /// - Returns: the nonce, or `nil` when the response has none that may be used.
  @discardableResult
  package func learn(from response: HTTPResponse, url: URL) -> String? {
    guard let origin = Origin(url), let nonce = Self.nonce(in: response.headers) else { return nil }
    nonces.withLock { nonces in
      if nonces.count >= Self.capacity, nonces[origin] == nil { nonces.removeAll() }
      nonces[origin] = nonce
    }
    return nonce
  }

  /// The usable nonce among a response's headers.
  ///
  /// Headers sent twice arrive joined by a comma and a space; a space cannot be part of a nonce, so
  /// the first of them is taken. Characters outside RFC 9449's alphabet and values over 1 KiB count
  /// as no nonce at all.
  static func nonce(in headers: HTTPHeaders) -> String? {
    guard let first = headers["DPoP-Nonce"]?.split(separator: ", ").first else { return nil }
    let isUsable = first.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    return isUsable && !first.isEmpty && first.utf8.count <= 1024 ? String(first) : nil
  }
}
