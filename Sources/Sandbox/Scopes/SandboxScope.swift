package import ATSyntax

/// What one scope item permits, as the reference servers read it (wire reference §12.1).
///
/// The sandbox's own reading: it shares no decision with the client it judges.
package struct SandboxScope: Equatable, Sendable {
  private let permission: Permission

  private enum Permission: Equatable, Sendable {
    case atproto
    case transitionGeneric
    case transitionChat
    case transitionEmail
    case repo(collections: [String], actions: [RepoAction])
    case rpc(methods: [String], audience: String)
    case blob(accept: [String])
    case account(attribute: String, manages: Bool)
    case identity(attribute: String)
    case include(NSID, audience: String?)
  }

  /// `nil` when the item is not understood and therefore grants nothing.
  package init?(_ item: String) {
    do {
      self = try SandboxScope.parse(item)
    } catch {
      return nil
    }
  }

  /// Reads an item, telling apart what is merely unknown from what breaks the reference parser.
  package static func parse(_ item: String) throws(SandboxScopeError) -> SandboxScope {
    switch item {
    case "atproto": return SandboxScope(permission: .atproto)
    case "transition:generic": return SandboxScope(permission: .transitionGeneric)
    case "transition:chat.bsky": return SandboxScope(permission: .transitionChat)
    case "transition:email": return SandboxScope(permission: .transitionEmail)
    default: return SandboxScope(permission: try read(try ScopeSyntax(item)))
    }
  }

  private init(permission: Permission) { self.permission = permission }
}

// MARK: What it allows.
extension SandboxScope {
  /// Whether it is the item every session must hold.
  package var isATProto: Bool { permission == .atproto }

  /// Whether records of `collection` may be written this way.
  package func allowsRepo(_ collection: String, _ action: RepoAction) -> Bool {
    switch permission {
    case .repo(let collections, let actions):
      actions.contains(action) && (collections.contains("*") || collections.contains(collection))
    case .transitionGeneric: true
    default: false
    }
  }

  /// Whether a blob declared as `mediaType` may be uploaded; literal and case-sensitive.
  package func allowsBlob(_ mediaType: String) -> Bool {
    switch permission {
    case .blob(let accept):
      accept.contains { pattern in
        pattern == "*/*" || pattern == mediaType
          || (pattern.hasSuffix("/*") && mediaType.hasPrefix(pattern.dropLast()))
      }
    case .transitionGeneric: true
    default: false
    }
  }

  /// Whether `lxm` may be called at `aud`, which is `did#service`, compared exactly.
  package func allowsRPC(lxm: String, aud: String) -> Bool {
    switch permission {
    case .rpc(let methods, let audience):
      (methods.contains("*") || methods.contains(lxm)) && (audience == "*" || audience == aud)
    case .transitionGeneric: !lxm.hasPrefix("chat.bsky.")
    case .transitionChat: lxm.hasPrefix("chat.bsky.")
    default: false
    }
  }

  /// Whether an attribute of the account (`email`, `repo`) may be read or managed.
  package func allowsAccount(_ attribute: String, manage: Bool) -> Bool {
    switch permission {
    case .account(let granted, let manages): granted == attribute && (manages || !manage)
    case .transitionEmail: attribute == "email" && !manage
    default: false
    }
  }

  /// Whether an identity attribute (`handle`, `*`) may be changed.
  package func allowsIdentity(_ attribute: String) -> Bool {
    guard case .identity(let granted) = permission else { return false }
    return granted == "*" || granted == attribute
  }

  /// The permission set an `include:` item names.
  package var includeNSID: NSID? {
    guard case .include(let nsid, _) = permission else { return nil }
    return nsid
  }

  /// The audience an `include:` item lends to its set, `did#service`.
  package var includeAudience: String? {
    guard case .include(_, let audience) = permission else { return nil }
    return audience
  }
}

/// What a repository permission is for.
package enum RepoAction: String, CaseIterable, Sendable {
  case create
  case update
  case delete
}

// MARK: Reading.
extension SandboxScope {
  private static func read(_ syntax: ScopeSyntax) throws(SandboxScopeError) -> Permission {
    func values(_ key: String, _ positionalKey: String) throws(SandboxScopeError) -> [String] {
      try syntax.values(key, positionalKey: positionalKey)
    }
    func only(_ keys: String...) throws(SandboxScopeError) {
      guard syntax.parameters.allSatisfy({ keys.contains($0.key) }) else { throw .notUnderstood }
    }
    switch syntax.resource {
    case "repo":
      try only("collection", "action")
      let collections = try values("collection", "collection")
      let named = try values("action", "collection")
      let actions = named.compactMap(RepoAction.init(rawValue:))
      guard !collections.isEmpty, collections.allSatisfy({ $0 == "*" || isNSID($0) }),
        actions.count == named.count
      else { throw .notUnderstood }
      return .repo(
        collections: collections, actions: actions.isEmpty ? RepoAction.allCases : actions)
    case "rpc":
      try only("lxm", "aud")
      let methods = try values("lxm", "lxm")
      let audiences = try values("aud", "lxm")
      guard !methods.isEmpty, methods.allSatisfy({ $0 == "*" || isNSID($0) }), audiences.count == 1,
        audiences[0] == "*" ? !methods.contains("*") : isServiceReference(audiences[0])
      else { throw .notUnderstood }
      return .rpc(methods: methods, audience: audiences[0])
    case "blob":
      try only("accept")
      let accept = try values("accept", "accept")
      guard !accept.isEmpty, accept.allSatisfy(isMediaPattern) else { throw .notUnderstood }
      return .blob(accept: accept)
    case "account":
      try only("attr", "action")
      let attributes = try values("attr", "attr")
      let actions = try values("action", "attr")
      guard attributes.count == 1, ["email", "repo"].contains(attributes[0]),
        actions.allSatisfy({ $0 == "read" || $0 == "manage" })
      else { throw .notUnderstood }
      return .account(attribute: attributes[0], manages: actions.contains("manage"))
    case "identity":
      try only("attr")
      let attributes = try values("attr", "attr")
      guard attributes.count == 1, ["handle", "*"].contains(attributes[0]) else {
        throw .notUnderstood
      }
      return .identity(attribute: attributes[0])
    case "include":
      try only("nsid", "aud")
      let sets = try values("nsid", "nsid")
      let audiences = try values("aud", "nsid")
      guard sets.count == 1, audiences.count <= 1, audiences.allSatisfy(isServiceReference),
        let nsid = nsid(sets[0])
      else { throw .notUnderstood }
      return .include(nsid, audience: audiences.first)
    default: throw .notUnderstood
    }
  }

  private static func nsid(_ text: String) -> NSID? {
    // Why a text is no NSID makes no difference here: the item grants nothing.
    try? NSID(text)
  }

  private static func isNSID(_ text: String) -> Bool { nsid(text) != nil }

  /// `did#service`, the DID one that can be resolved, exactly one `#`.
  private static func isServiceReference(_ text: String) -> Bool {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return false }
    // As above: malformed is all that counts.
    return (try? DID(String(parts[0])))?.isBlessed == true
  }

  /// `type/subtype`, `type/*` or `*/*`.
  private static func isMediaPattern(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
      return false
    }
    return parts[0] == "*"
      ? parts[1] == "*" : !parts[0].contains("*") && (parts[1] == "*" || !parts[1].contains("*"))
  }
}
