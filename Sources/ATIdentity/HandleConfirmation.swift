package import ATSyntax

/// What a look has shown of the handle that an account's document names.
package enum HandleConfirmation: Equatable, Sendable {
  /// It leads back to the account.
  case confirmed(Handle)
  /// The document names none, or one that leads nowhere or to somebody else.
  case refuted
  /// Nobody could say; what was known of the account's handle before is as good as it was (FB-A29).
  case unknown

  /// The handle that may be shown of an account of which nothing was known before (G12).
  package var handle: Handle? {
    if case .confirmed(let handle) = self { handle } else { nil }
  }

  /// What is to be shown of an account whose handle was known.
  package func handle(knowing known: Handle?) -> Handle? {
    switch self {
    case .confirmed(let handle): handle
    case .refuted: nil
    case .unknown: known
    }
  }
}
