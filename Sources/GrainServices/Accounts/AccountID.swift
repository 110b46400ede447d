package import ATSyntax
import Foundation
import HTTPTransport

/// Names an account of the list, whoever it is signed in with.
///
/// Written as one string: the DID for Grain, `platrium:<host[:port]>:<user id>` and `pixiv:<user id>`
/// for the others. A user id is percent-encoded, so the last colon always stands before it.
package struct AccountID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// How the account is written on disk and on the wire.
  package let rawValue: String
  /// Who it is signed in with.
  package let provider: AccountProvider
  /// Who it is in the AT Protocol; only Grain accounts are anybody there.
  package let did: DID?

  /// The longest text that is read, in bytes.
  private static let longest = 2048

  /// The Grain account of a DID.
  package init(_ did: DID) {
    rawValue = did.rawValue
    provider = .grain
    self.did = did
  }

  private init(_ provider: AccountProvider, _ parts: [String]) {
    rawValue = ([provider.rawValue] + parts).joined(separator: ":")
    self.provider = provider
    did = nil
  }

  /// A user of a Platrium service; `authority` is its host, with the port where it has one.
  package static func platrium(authority: String, user: String) -> AccountID {
    AccountID(.platrium, [authority.lowercased(), FormURLEncoding.percentEncoded(user)])
  }

  /// A user of Pixiv.
  package static func pixiv(user: String) -> AccountID {
    AccountID(.pixiv, [FormURLEncoding.percentEncoded(user)])
  }

  /// Reads a name as ``rawValue`` writes it; `nil` for any other text.
  package init?(rawValue: String) {
    guard rawValue.utf8.count <= Self.longest else { return nil }
    if rawValue.hasPrefix("did:") {
      do throws(SyntaxError) {
        self.init(try DID(rawValue))
      } catch {
        return nil
      }
      return
    }
    guard
      let colon = rawValue.firstIndex(of: ":"),
      let provider = AccountProvider(rawValue: String(rawValue[..<colon]))
    else { return nil }
    let rest = rawValue[rawValue.index(after: colon)...]
    switch provider {
    case .grain: return nil
    case .pixiv:
      guard rest.isEncodedUser else { return nil }
      self.init(provider, [String(rest)])
    case .platrium:
      guard let last = rest.lastIndex(of: ":") else { return nil }
      let (authority, user) = (rest[..<last], rest[rest.index(after: last)...])
      guard authority.isAuthority, user.isEncodedUser else { return nil }
      self.init(provider, [String(authority), String(user)])
    }
  }

  /// The name itself.
  package var description: String { rawValue }

  /// Reads one string.
  ///
  /// - Throws: for a text that names no account.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = AccountID(rawValue: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the name of an account is expected")
    }
    self = id
  }

  /// Writes one string.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension DID {
  /// The Grain account of this DID.
  package var account: AccountID { AccountID(self) }
}

extension Substring {
  /// Unreserved characters and percent escapes, at least one.
  fileprivate var isEncodedUser: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        byte.isLetterOrDigit || [0x25, 0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      }
  }

  /// A host in lower case, an IPv6 literal in brackets, and perhaps a port.
  fileprivate var isAuthority: Bool {
    !isEmpty && !contains(where: \.isUppercase)
      && utf8.allSatisfy { byte in
        byte.isLetterOrDigit || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
      }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
