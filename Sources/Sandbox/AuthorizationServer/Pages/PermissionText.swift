/// A scope item in words a person can decide by.
struct PermissionText: Equatable, Sendable {
  /// What it is about, in a few words.
  let title: String
  /// What exactly is allowed.
  let detail: String

  init(_ item: String) {
    self = Self.fixed[item] ?? Self.parsed(item) ?? Self(item, "Not explained further.")
  }

  private init(_ title: String, _ detail: String) {
    self.title = title
    self.detail = detail
  }

  private static let fixed = [
    "atproto": Self("Know who you are", "Your account’s permanent identifier. Always needed."),
    "transition:generic": Self(
      "Almost everything", "Read and write all your data, like an app password."),
    "transition:chat.bsky": Self("Your Bluesky messages", "Read and send them."),
    "transition:email": Self("Your e-mail address", "See it."),
  ]

  private static func parsed(_ item: String) -> Self? {
    // An item nobody can parse is shown as it is written.
    guard SandboxScope(item) != nil, let syntax = try? ScopeSyntax(item) else { return nil }
    func values(_ key: String, _ positionalKey: String) -> [String] {
      // `SandboxScope` has read the same values without a complaint.
      (try? syntax.values(key, positionalKey: positionalKey)) ?? []
    }
    switch syntax.resource {
    case "repo":
      return repo(values("collection", "collection"), actions: values("action", "collection"))
    case "blob":
      return blob(values("accept", "accept"))
    case "rpc":
      return rpc(values("lxm", "lxm"), audience: values("aud", "lxm").first ?? "")
    case "account":
      let isEmail = values("attr", "attr").contains("email")
      let manages = values("action", "attr").contains("manage")
      let verbs = manages ? "See and change it." : "See it."
      return Self(isEmail ? "Your e-mail address" : "Your whole repository", verbs)
    case "identity":
      return values("attr", "attr").contains("*")
        ? Self("Your identity", "Change your handle, your keys and your server.")
        : Self("Your handle", "Change it.")
    case "include":
      return Self("A set of permissions", values("nsid", "nsid").joined(separator: ", "))
    default: return nil
    }
  }

  private static func repo(_ collections: [String], actions: [String]) -> Self {
    let all = RepoAction.allCases.map(\.rawValue)
    let named = all.filter { actions.isEmpty || actions.contains($0) }
    let verbs = named.map { $0 == "update" ? "change" : $0 }
    let title =
      collections.contains("*")
      ? "All your records" : list(collections.map { known[$0] ?? "Records of type \($0)" })
    return Self(title, list(verbs, capitalised: true) + " them.")
  }

  private static func blob(_ accept: [String]) -> Self {
    let kinds = accept.map { pattern in
      switch pattern {
      case "*/*": "files of any kind"
      case "image/*": "pictures"
      case "video/*": "videos"
      default: "\(pattern) files"
      }
    }
    return Self("Upload \(list(kinds))", "Store them with your account.")
  }

  private static func rpc(_ methods: [String], audience: String) -> Self {
    let service = audience == "*" ? "any service" : host(of: String(audience.prefix { $0 != "#" }))
    let what = methods.contains("*") ? "Anything that service offers" : list(methods)
    return Self("Act for you elsewhere", "\(what), at \(service).")
  }

  /// A service as people know it: by its host, where its identifier is one.
  private static func host(of did: String) -> String {
    did.hasPrefix("did:web:")
      ? String(did.dropFirst("did:web:".count)).replacing("%3A", with: ":") : did
  }

  /// Collections people of this product know under a name.
  private static let known = [
    "social.grain.gallery": "Your galleries",
    "social.grain.gallery.item": "The photos in your galleries",
    "social.grain.photo": "Your photos",
    "social.grain.photo.exif": "Your photos’ camera details",
    "social.grain.actor.profile": "Your Grain profile",
    "social.grain.graph.follow": "Whom you follow on Grain",
    "social.grain.graph.block": "Whom you block on Grain",
    "social.grain.favorite": "Your favourites",
    "social.grain.comment": "Your comments",
    "social.grain.story": "Your stories",
    "app.bsky.feed.post": "Your Bluesky posts",
    "app.bsky.actor.profile": "Your Bluesky profile",
  ]

  private static func list(_ words: [String], capitalised: Bool = false) -> String {
    guard let last = words.last else { return "" }
    let text =
      words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " and " + last
    return capitalised ? text.prefix(1).uppercased() + text.dropFirst() : text
  }
}
