package import ATSyntax
package import Foundation
package import StrictJSON

/// What an account's DID document says that matters here: its name and its home server.
///
/// - SeeAlso: atproto-wire §2.3
package struct DIDDocument: Sendable, Equatable {
  /// Whose document this is.
  package let did: DID
  /// Every alias, as written.
  package let alsoKnownAs: [String]
  /// The first alias that is a handle by its grammar; a claim until it resolves back to the DID.
  package let handle: Handle?
  /// The origin of the home server, or `nil` when the document names none that can be used.
  package let pds: URL?

  /// Reads a document.
  ///
  /// - `expecting`: the DID it was fetched for; the document must name it byte for byte.
  /// - `allowInsecureLoopback`: development only: a home server at http on a loopback host.
  /// - Throws: ``IdentityError/invalidDocument(_:)``.
  package init(
    json: JSONValue, expecting did: DID, allowInsecureLoopback: Bool = false
  ) throws(IdentityError) {
    guard case .object(let members) = json else { throw .invalidDocument("document") }
    guard members["id"]?.stringValue == did.rawValue else { throw .invalidDocument("id") }
    self.did = did
    let aliases = (members["alsoKnownAs"]?.arrayValue ?? []).compactMap(\.stringValue)
    alsoKnownAs = aliases
    handle = aliases.lazy.compactMap(Self.handle(in:)).first
    pds = (members["service"]?.arrayValue ?? []).lazy
      .compactMap { Self.endpoint(in: $0, did: did) }.first
      .flatMap { ServiceOrigin.parse($0, allowInsecureLoopback: allowInsecureLoopback) }
  }

  private static func handle(in alias: String) -> Handle? {
    guard alias.hasPrefix("at://") else { return nil }
    do {
      return try Handle(String(alias.dropFirst(5)))
    } catch {
      return nil
    }
  }

  /// The endpoint of a home-server entry. Both spellings of the id occur; the type is exact, a labeler
  /// under another type is no home server.
  private static func endpoint(in service: JSONValue, did: DID) -> String? {
    guard
      let id = service["id"]?.stringValue,
      id == "#atproto_pds" || id == "\(did.rawValue)#atproto_pds",
      service["type"]?.stringValue == "AtprotoPersonalDataServer"
    else { return nil }
    return service["serviceEndpoint"]?.stringValue
  }
}
