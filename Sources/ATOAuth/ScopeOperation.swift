/// One thing an app does, for which some granted item must speak.
///
/// A wildcard (`*`, `image/*`) stands for everything it covers, and only an item at least as wide
/// allows it.
package enum ScopeOperation: Hashable, Sendable {
  /// Being an atproto session.
  case atproto
  /// Writing a record of a collection.
  case repo(collection: String, action: Permission.RepoAction)
  /// Calling a method of a service (`did#service`).
  case rpc(method: String, audience: String)
  /// Uploading a blob of a media type.
  case blob(mediaType: String)
  /// Reading or managing a part of the account.
  case account(attribute: String, manages: Bool)
  /// Changing a part of the identity.
  case identity(attribute: String)
}

extension Permission {
  /// Whether this item alone allows an operation.
  func allows(_ operation: ScopeOperation) -> Bool {
    switch (self, operation) {
    case (.atproto, .atproto): true
    case (.repo(let collections, let actions), .repo(let collection, let action)):
      actions.contains(action) && (collections.contains("*") || collections.contains(collection))
    case (.rpc(let methods, let granted), .rpc(let method, let audience)):
      (methods.contains("*") || methods.contains(method)) && (granted == "*" || granted == audience)
    case (.blob(let accept), .blob(let mediaType)):
      accept.contains { MediaRange.accepts($0, mediaType) }
    case (.account(let granted, let manages), .account(let attribute, let needsManage)):
      granted == attribute && (manages || !needsManage)
    case (.identity(let granted), .identity(let attribute)):
      granted == "*" || granted == attribute
    case (.transition("generic"), .repo), (.transition("generic"), .blob): true
    case (.transition("generic"), .rpc(let method, _)): !method.hasPrefix("chat.bsky.")
    case (.transition("chat.bsky"), .rpc(let method, _)): method.hasPrefix("chat.bsky.")
    case (.transition("email"), .account("email", false)): true
    default: false
    }
  }

  /// What this item stands for when it is asked for.
  var operations: [ScopeOperation] {
    switch self {
    case .atproto: [.atproto]
    case .repo(let collections, let actions):
      collections.flatMap { collection in
        actions.map { .repo(collection: collection, action: $0) }
      }
    case .rpc(let methods, let audience): methods.map { .rpc(method: $0, audience: audience) }
    case .blob(let accept): accept.map { .blob(mediaType: $0) }
    case .account(let attribute, let manages): [.account(attribute: attribute, manages: manages)]
    case .identity(let attribute): [.identity(attribute: attribute)]
    case .include, .transition: []
    }
  }
}
