package import ATSyntax
import Foundation
import GrainLexicon
package import HTTPTransport
import StrictJSON

/// Finds the accounts behind mentioned handles, in bounded time: a text is published whether or not
/// they are found. Source: grain-product §13; FB-D4.
package struct MentionResolver: Sendable {
  /// Handles that lead nowhere, or to a resolver that does not answer in time, are left out.
  package var resolve: @Sendable (_ handles: [Handle]) async -> [Handle: DID]

  /// A resolver made of its call.
  package init(resolve: @escaping @Sendable ([Handle]) async -> [Handle: DID]) {
    self.resolve = resolve
  }

  /// Finds nobody.
  package static let none = MentionResolver { _ in [:] }

  /// The most handles of one text that are looked up; the others stay plain text.
  package static let most = 20
  /// How long a lookup may take; all of them run side by side, so a text takes no longer.
  package static let patience = Duration.seconds(4)

  /// Asks the resolver service with that base URL, once for each handle; names below `.test` only where
  /// they are allowed.
  package static func live(
    service: String, http: HTTPClient, allowTestHandles: Bool
  ) -> MentionResolver {
    MentionResolver { handles in
      await withTaskGroup(of: (Handle, DID?).self) { group in
        let wanted = handles.filter { $0.isResolvable(allowingTest: allowTestHandles) }
        for handle in wanted.prefix(most) {
          group.addTask { (handle, await did(of: handle, at: service, http)) }
        }
        var found: [Handle: DID] = [:]
        for await (handle, did) in group { found[handle] = did }
        return found
      }
    }
  }

  private static func did(of handle: Handle, at service: String, _ http: HTTPClient) async -> DID? {
    guard
      let url = URL(string: "\(service)/xrpc/\(MethodNames.resolveHandle)?handle=\(handle)")
    else { return nil }
    do {
      let response = try await http.send(
        HTTPRequest(method: "GET", url: url, deadline: patience, maximumBodyBytes: 10_000))
      guard response.status == 200 else { return nil }
      return try DID(JSONParser.parse(response.body)["did"]?.stringValue ?? "")
    } catch {
      // Not found, not in time, or not a DID: it is no mention then.
      return nil
    }
  }
}
