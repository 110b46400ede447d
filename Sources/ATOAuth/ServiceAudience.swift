package import ATSyntax

/// A service as permissions and proxied calls name it: a DID and a service id.
///
/// The two spellings differ (G96): a header has the DID as it is, a scope item encodes the DID's `%`
/// and the `#` once more, because the item is decoded as a whole.
package struct ServiceAudience: Hashable, Sendable {
  /// The service's DID.
  package let did: DID
  /// The fragment that names the service in the DID's document, without `#`.
  package let service: String

  /// A service of a DID.
  package init(did: DID, service: String) {
    self.did = did
    self.service = service
  }

  /// For `atproto-proxy`: `did:web:127.0.0.1%3A3000#grain_appview`.
  package var proxyHeader: String { "\(did.rawValue)#\(service)" }

  /// For the `aud` of a scope item: `did:web:127.0.0.1%253A3000%23grain_appview`.
  package var scopeValue: String {
    did.rawValue.replacing("%", with: "%25") + "%23" + service
  }

  /// Whether a decoded `aud` is a service reference: a DID atproto resolves, one `#`, a fragment.
  package static func isAudience(_ text: String) -> Bool {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, isFragment(parts[1]) else { return false }
    do {
      return try DID(String(parts[0])).isBlessed
    } catch {
      return false
    }
  }

  private static func isFragment(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(byte)
        }
      }
  }
}
