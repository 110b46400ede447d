import ATSyntax
import StrictJSON

/// What an account's own server says of it: the answer of `com.atproto.server.getSession`.
struct ServerSession: Equatable, Sendable {
  let did: DID
  /// Not confirmed by anybody else.
  let handle: String?
  /// Why the account is not active, in the server's word; `nil` when it is.
  let inactive: String?

  /// - Returns: `nil` for an answer that names no account.
  init?(_ answer: JSONValue) {
    guard let text = answer["did"]?.stringValue else { return nil }
    do {
      did = try DID(text)
    } catch {
      return nil
    }
    handle = answer["handle"]?.stringValue
    // `active` decides; the words of `status` are open (wire §13).
    inactive =
      answer["active"]?.boolValue == false ? answer["status"]?.stringValue ?? "inactive" : nil
  }

  /// The word for the state that a refused call names (wire §10.2).
  static func word(forError error: String) -> String {
    switch error {
    case "AccountDeactivated": "deactivated"
    case "AccountTakedown": "takendown"
    case "AccountSuspended": "suspended"
    case "AccountDeleted": "deleted"
    default: error
    }
  }
}
