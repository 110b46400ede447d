import ATIdentity
package import ATSyntax
import ATXRPC
package import Foundation
import GrainLexicon
package import HTTPTransport
import StrictJSON
package import SystemClients

/// An account a person may mean while they type.
package struct HandleSuggestion: Equatable, Sendable {
  /// Names the account.
  package let did: DID
  /// What would be signed in with.
  package let handle: Handle
  /// What the account calls itself.
  package let displayName: String?
  /// An `https` address.
  package let avatar: String?

  /// A suggestion.
  package init(did: DID, handle: Handle, displayName: String? = nil, avatar: String? = nil) {
    self.did = did
    self.handle = handle
    self.displayName = displayName
    self.avatar = avatar
  }
}

/// Accounts whose handle begins like what is typed, asked of the app server without credentials.
///
/// Waits until typing pauses; who is asked again meanwhile cancels the task that asked before.
/// Source: grain-product §5, Login screen model.
package struct HandleSuggestions: Sendable {
  /// Characters before anybody is asked.
  package static let shortestText = 2
  /// Suggestions at most.
  package static let limit = 5
  /// How long typing has to pause.
  package static let pause = Duration.milliseconds(200)

  private let client: XRPCClient
  private let clock: SystemClock

  /// Suggestions of one app server.
  package init(appServer: URL, http: HTTPClient, clock: SystemClock) {
    client = XRPCClient(base: appServer, http: http, deadline: .seconds(5))
    self.clock = clock
  }

  /// The accounts that fit a text; none for a short one, and none when the server does not answer:
  /// typing goes on without them.
  package func accounts(for text: String) async -> [HandleSuggestion] {
    // As the name would be read on submitting (FB-A21); a DID needs nobody's suggestion.
    let query = SignInName.normalize(text).trimmed
    guard query.count >= Self.shortestText, !query.hasPrefix("did:") else { return [] }
    do {
      try await clock.sleep(Self.pause)
      let answer = try await client.query(
        MethodNames.searchActorsTypeahead, ["q": .string(query), "limit": .integer(Self.limit)])
      let actors = answer["actors"]?.arrayValue ?? []
      return Array(actors.compactMap(HandleSuggestion.init).prefix(Self.limit))
    } catch {
      return []
    }
  }
}

extension HandleSuggestion {
  /// One element of the answer; one that cannot be read is left out.
  fileprivate init?(_ actor: JSONValue) {
    guard let did = actor["did"]?.stringValue, let handle = actor["handle"]?.stringValue else {
      return nil
    }
    do throws(SyntaxError) {
      self.init(
        did: try DID(did), handle: try Handle(handle),
        displayName: actor["displayName"]?.stringValue.map(ServerText.name),
        avatar: actor["avatar"]?.stringValue.flatMap { $0.hasPrefix("https://") ? $0 : nil })
    } catch {
      return nil
    }
  }
}
