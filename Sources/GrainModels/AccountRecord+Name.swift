import ATSyntax
import Foundation
import GrainServices

extension AccountRecord {
  /// How people know the account: its handle with an at sign, or its DID.
  var name: String { handle.map { "@\($0.rawValue)" } ?? did.rawValue }

  /// Whether somebody has typed this account's handle; its DID where it has no handle.
  func isNamed(by typed: String) -> Bool {
    let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let handle else { return text == did.rawValue }
    return (text.hasPrefix("@") ? String(text.dropFirst()) : text).lowercased() == handle.rawValue
  }
}
