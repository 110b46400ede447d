import ATSyntax

/// What one item of a granted scope permits.
///
/// - SeeAlso: atproto-wire §12.1
package enum Permission: Hashable, Sendable {
  /// Being an atproto session at all.
  case atproto
  /// Writing records of these collections (`*` for every one) in these ways.
  case repo(collections: Set<String>, actions: Set<RepoAction>)
  /// Calling these methods (`*`) of a service (`did#service`, `*`) through the home server.
  case rpc(methods: Set<String>, audience: String)
  /// Uploading blobs of these media types (`image/*`, `*/*`).
  case blob(accept: Set<String>)
  /// Seeing or managing a part of the account (`email`, `repo`).
  case account(attribute: String, manages: Bool)
  /// Changing the identity (`handle`, `*`).
  case identity(attribute: String)
  /// A permission set somebody publishes; the server replaces it by what it holds.
  case include(set: String, audience: String?)
  /// One of the bundles of the time before permissions: `generic`, `chat.bsky`, `email`.
  case transition(String)

  /// What can be done to a record.
  package enum RepoAction: String, CaseIterable, Sendable {
    case create, update, delete
  }

  /// Understands an item.
  ///
  /// - Returns: `nil` for an item no server would understand; such items grant nothing.
  package init?(_ text: String) {
    guard let item = ScopeItem(text) else { return nil }
    switch item.resource {
    case "atproto" where text == "atproto": self = .atproto
    case "transition":
      guard text.hasPrefix("transition:"),
        ["generic", "chat.bsky", "email"].contains(text.dropFirst(11))
      else { return nil }
      self = .transition(String(text.dropFirst(11)))
    case "repo": self.init(repo: item)
    case "rpc": self.init(rpc: item)
    case "blob": self.init(blob: item)
    case "account": self.init(account: item)
    case "identity": self.init(identity: item)
    case "include": self.init(include: item)
    default: return nil
    }
  }

  private init?(repo item: ScopeItem) {
    guard
      item.hasOnly(["collection", "action"]),
      let collections = item.values(of: "collection", isPositional: true), !collections.isEmpty,
      collections.allSatisfy({ $0 == "*" || Self.isNSID($0) }),
      let names = item.values(of: "action")
    else { return nil }
    let actions = names.compactMap(RepoAction.init)
    guard actions.count == names.count else { return nil }
    self = .repo(
      collections: Set(collections),
      actions: actions.isEmpty ? Set(RepoAction.allCases) : Set(actions))
  }

  private init?(rpc item: ScopeItem) {
    guard
      item.hasOnly(["lxm", "aud"]),
      let methods = item.values(of: "lxm", isPositional: true), !methods.isEmpty,
      methods.allSatisfy({ $0 == "*" || Self.isNSID($0) }),
      case .one(let audience) = item.value(of: "aud"),
      audience == "*" ? !methods.contains("*") : ServiceAudience.isAudience(audience)
    else { return nil }
    self = .rpc(methods: Set(methods), audience: audience)
  }

  private init?(blob item: ScopeItem) {
    guard
      item.hasOnly(["accept"]), let accept = item.values(of: "accept", isPositional: true),
      !accept.isEmpty, accept.allSatisfy(MediaRange.isValid)
    else { return nil }
    self = .blob(accept: Set(accept))
  }

  private init?(account item: ScopeItem) {
    guard
      item.hasOnly(["attr", "action"]),
      case .one(let attribute) = item.value(of: "attr", isPositional: true),
      ["email", "repo"].contains(attribute), let actions = item.values(of: "action"),
      actions.allSatisfy({ ["read", "manage"].contains($0) })
    else { return nil }
    self = .account(attribute: attribute, manages: actions.contains("manage"))
  }

  private init?(identity item: ScopeItem) {
    guard
      item.hasOnly(["attr"]),
      case .one(let attribute) = item.value(of: "attr", isPositional: true),
      ["handle", "*"].contains(attribute)
    else { return nil }
    self = .identity(attribute: attribute)
  }

  private init?(include item: ScopeItem) {
    guard
      item.hasOnly(["nsid", "aud"]),
      case .one(let set) = item.value(of: "nsid", isPositional: true), Self.isNSID(set)
    else { return nil }
    switch item.value(of: "aud") {
    case .several: return nil
    case .none: self = .include(set: set, audience: nil)
    case .one(let audience):
      guard ServiceAudience.isAudience(audience) else { return nil }
      self = .include(set: set, audience: audience)
    }
  }

  private static func isNSID(_ text: String) -> Bool {
    do {
      _ = try NSID(text)
      return true
    } catch {
      return false
    }
  }
}
