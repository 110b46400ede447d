import ATSyntax
import StrictJSON

/// The permission sets `include:` can name, and what they stand for.
///
/// - SeeAlso: atproto-wire §§12.4, 12.5
struct PermissionSets: Sendable {
  private let documents: [String: JSONValue]

  /// - Parameter documents: lexicon documents by NSID.
  init(_ documents: [String: JSONValue]) {
    self.documents = documents
  }

  func knows(_ nsid: String) -> Bool {
    documents[nsid]?[pointer: "/defs/main/type"]?.stringValue == "permission-set"
  }

  /// The scope of a token: sets replaced by what they hold now, placed first and sorted.
  ///
  /// Without an `include:` the items stay as the client wrote them.
  func expanded(_ items: [String]) -> [String] {
    var concrete: [String] = []
    var plain: [String] = []
    for item in items {
      if let scope = SandboxScope(item), let set = scope.includeNSID?.rawValue {
        concrete += expand(set, audience: scope.includeAudience)
      } else {
        plain.append(item)
      }
    }
    return ScopeText.unique(concrete.sorted() + plain)
  }

  private func expand(_ set: String, audience: String?) -> [String] {
    let entries = documents[set]?[pointer: "/defs/main/permissions"]?.arrayValue ?? []
    return entries.compactMap { entry in
      switch entry["resource"]?.stringValue {
      case "repo": repo(entry, set: set)
      case "rpc": rpc(entry, set: set, audience: audience)
      default: nil
      }
    }
  }

  private func repo(_ entry: JSONValue, set: String) -> String? {
    guard let collections = names(entry["collection"], below: set) else { return nil }
    let all = ["create", "update", "delete"]
    let actions = entry["action"]?.arrayValue?.compactMap(\.stringValue) ?? all
    guard !actions.isEmpty, actions.allSatisfy(all.contains) else { return nil }
    var query: [String] = []
    if collections.count > 1 { query += collections.map { "collection=\($0)" } }
    if Set(actions) != Set(all) {
      query += all.filter(actions.contains).map { "action=\($0)" }
    }
    return item("repo", collections, query)
  }

  private func rpc(_ entry: JSONValue, set: String, audience: String?) -> String? {
    guard let methods = names(entry["lxm"], below: set) else { return nil }
    let target: String
    switch (entry["aud"]?.stringValue, entry["inheritAud"]?.boolValue) {
    case ("*", nil) where entry["inheritAud"] == nil: target = "*"
    case (nil, true) where entry["aud"] == nil:
      guard let audience else { return nil }
      target = audience
    default: return nil
    }
    // `%` stays bare, so a port loses its double encoding here: the reference does the same.
    let written = target.replacing("#", with: "%23")
    var query = methods.count > 1 ? methods.map { "lxm=\($0)" } : []
    query.append("aud=\(written)")
    return item("rpc", methods, query)
  }

  private func item(_ resource: String, _ names: [String], _ query: [String]) -> String {
    let positional = names.count == 1 ? ":\(names[0])" : ""
    return resource + positional + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The sorted names, all of them below the set's own group; `nil` makes the entry unusable.
  private func names(_ value: JSONValue?, below set: String) -> [String]? {
    guard let names = value?.arrayValue?.map(\.stringValue), !names.isEmpty,
      let lastDot = set.lastIndex(of: ".")
    else { return nil }
    let group = set[...lastDot]
    let known = names.compactMap(\.self)
    guard known.count == names.count, known.allSatisfy({ $0.hasPrefix(group) }) else {
      return nil
    }
    return Array(Set(known)).sorted()
  }
}
