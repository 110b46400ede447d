/// A scope, asked for or granted, as permissions.
///
/// Scopes are never compared as text: order, spacing, spelling and additions are the server's to
/// choose (FB-A23). What the app needs is held as operations, and each must be allowed by some item.
///
/// - SeeAlso: atproto-wire §12.6
package struct ScopeSet: Equatable, Sendable {
  /// What the understood items permit.
  package let permissions: [Permission]
  /// Items that are not understood; they grant nothing.
  package let unknown: [String]

  /// Reads a scope; any number of spaces separate items.
  package init(_ text: String) {
    var permissions: [Permission] = []
    var unknown: [String] = []
    for item in text.split(separator: " ").map(String.init) {
      if let permission = Permission(item) {
        permissions.append(permission)
      } else {
        unknown.append(item)
      }
    }
    self.permissions = permissions
    self.unknown = unknown
  }

  /// Whether `atproto` is literally among the items.
  package var hasATProto: Bool { permissions.contains(.atproto) }

  /// Whether some item allows an operation.
  package func allows(_ operation: ScopeOperation) -> Bool {
    permissions.contains { $0.allows(operation) }
  }

  /// The operations the items stand for. An `include:` stands for none: what it holds is not known
  /// here.
  package var operations: Set<ScopeOperation> {
    Set(permissions.flatMap(\.operations))
  }

  /// What this scope asks for and a granted one does not allow (G63, G110).
  package func missing(in granted: ScopeSet) -> Set<ScopeOperation> {
    operations.filter { !granted.allows($0) }
  }
}
