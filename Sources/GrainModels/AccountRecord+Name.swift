import Foundation
import GrainServices

extension AccountRecord {
  /// How people know the account: its handle with an at sign, else what it calls itself where it has
  /// no handle by nature, else its id.
  var name: String {
    if let handle { return "@\(Self.line(handle))" }
    return id.provider == .grain ? id.rawValue : displayName.map(Self.line) ?? id.rawValue
  }

  /// A name as it is shown: of one that is longer than the AT Protocol allows, the beginning.
  static func line(_ name: String) -> String { StateBudget.line(name, bytes: 640) }

  /// Whether somebody has typed this account's handle; its id where it has no handle.
  func isNamed(by typed: String) -> Bool {
    let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let handle else { return text == id.rawValue }
    return (text.hasPrefix("@") ? String(text.dropFirst()) : text).lowercased() == handle
  }
}
