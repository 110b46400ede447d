/// The difference of two JSON values as a value, and its application.
///
/// `null` in a patch means "remove", so a patch is exact only between values that hold no `null`
/// themselves; states on the bridge never do.
///
/// - SeeAlso: RFC 7396
package enum MergePatch {
  /// Compares two values, member by member.
  ///
  /// - Parameters:
  ///   - old: what the reader has.
  ///   - new: what it shall have; free of `null`.
  /// - Returns: the smallest patch that turns `old` into `new`; `{}` when nothing differs.
  package static func difference(from old: JSONValue, to new: JSONValue) -> JSONValue {
    guard case .object(let old) = old, case .object(let new) = new else { return new }
    return .object(difference(from: old, to: new))
  }

  /// The value that results when `patch` is applied; members added go to the end.
  package static func apply(_ patch: JSONValue, to value: JSONValue) -> JSONValue {
    guard case .object(let patch) = patch else { return patch }
    var result = value.objectValue ?? JSONObject()
    // Removals go together: one by one they would be quadratic.
    if patch.members.contains(where: \.value.isNull) {
      result.removeAll { key, _ in patch[key]?.isNull == true }
    }
    for (key, change) in patch.members where !change.isNull {
      result[key] = apply(change, to: result[key] ?? .null)
    }
    return .object(result)
  }

  private static func difference(from old: JSONObject, to new: JSONObject) -> JSONObject {
    var patch = JSONObject()
    if old.isSame(as: new) { return patch }
    var kept = 0
    for (place, (key, value)) in new.members.enumerated() {
      guard let before = old.value(of: key, probablyAt: place) else {
        patch[key] = value
        continue
      }
      kept += 1
      if case .object(let before) = before, case .object(let after) = value {
        let inner = difference(from: before, to: after)
        if !inner.isEmpty { patch[key] = .object(inner) }
      } else if before != value {
        patch[key] = value
      }
    }
    if kept < old.count {
      for (key, _) in old.members where new[key] == nil { patch[key] = .null }
    }
    return patch
  }
}
