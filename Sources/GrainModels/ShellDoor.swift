package import Foundation
package import GrainSnapshots

/// What the shell said it can do, at `initialize`.
package struct ShellAbilities: Equatable, Sendable {
  /// The effects it performs.
  package var effects: Set<String>
  /// The ways it can show a sign-in page (`systemSession`, `externalBrowser`, `webview`).
  package var presentations: [String]

  /// The abilities a shell has declared.
  package init(effects: Set<String> = [], presentations: [String] = []) {
    self.effects = effects
    self.presentations = presentations
  }

  /// The way to show a sign-in page we like best among those the shell has; a shell that can only
  /// open an address has a browser all the same.
  package var presentation: String? {
    if effects.contains("auth.present") {
      let known = ["systemSession", "externalBrowser", "webview"]
      if let best = known.first(where: presentations.contains) { return best }
    }
    return opensPages ? "externalBrowser" : nil
  }

  /// Whether the shell can show a page in a web view of its own.
  package var hasWebView: Bool {
    effects.contains("auth.present") && presentations.contains("webview")
  }

  /// Whether the shell can become the desktop's program for a scheme.
  package var registersSchemes: Bool { effects.contains("scheme.register") }

  /// Whether the shell can help to unlock a key store.
  package var unlocksKeyrings: Bool { effects.contains("keyring.unlock") }

  /// Whether pages are shown with `url.open`, because there is no usable `auth.present`.
  package var opensPages: Bool {
    effects.contains("url.open") && !(effects.contains("auth.present") && !presentations.isEmpty)
  }
}

/// The shell, as the models ask it for what only a desktop can do (bridge-protocol §6).
@MainActor
package struct ShellDoor {
  /// What the shell can do.
  package var abilities: ShellAbilities
  /// Shows a sign-in page. Cancelling the task withdraws it.
  package var present: (_ presentation: AuthPresentation) async -> PresentationOutcome
  /// Helps the person to unlock the key store that holds the key of the accounts; no key crosses the
  /// pipe. Cancelling the task withdraws it.
  package var unlockKeyring: (_ operation: String, _ reason: Message) async -> UnlockOutcome
  /// Makes the shell the desktop's program for a scheme; `false` when it could not, so that it is to be
  /// asked again another time. Cancelling the task withdraws it.
  package var registerScheme: (_ operation: String, _ scheme: String) async -> Bool

  /// A door; by default to a shell that can do nothing.
  package init(
    abilities: ShellAbilities = ShellAbilities(),
    present: @escaping (AuthPresentation) async -> PresentationOutcome = { _ in
      .failed(Problem(.effectUnsupported))
    },
    unlockKeyring: @escaping (String, Message) async -> UnlockOutcome = { _, _ in
      .failed(Problem(.effectUnsupported))
    },
    registerScheme: @escaping (String, String) async -> Bool = { _, _ in false }
  ) {
    self.abilities = abilities
    self.present = present
    self.unlockKeyring = unlockKeyring
    self.registerScheme = registerScheme
  }
}

/// A page the shell is asked to show for a sign-in.
package struct AuthPresentation: Equatable, Sendable {
  /// The sign-in it serves.
  package let operation: String
  /// What to open; once, in one browser.
  package let url: String
  /// `nil` when the core listens for the answer itself.
  package let callback: Callback?
  /// The way to show it, from the shell's own list.
  package let presentation: String
  /// After this it must not be shown any more: its server has forgotten it (FB-A25).
  package let opensUntil: Date

  /// A page to show.
  package init(
    operation: String, url: String, callback: Callback?, presentation: String,
    opensUntil: Date = .distantFuture
  ) {
    self.operation = operation
    self.url = url
    self.callback = callback
    self.presentation = presentation
    self.opensUntil = opensUntil
  }

  /// The address the shell has to watch for; compared exactly.
  package struct Callback: Equatable, Sendable {
    /// Compared without case.
    package let scheme: String
    /// Absent where the address has none.
    package let host: String?
    /// Compared exactly.
    package let path: String

    /// An address to watch for.
    package init(scheme: String, host: String?, path: String) {
      self.scheme = scheme
      self.host = host
      self.path = path
    }
  }
}

/// What came of showing a page.
package enum PresentationOutcome: Equatable, Sendable {
  /// The page is open; the answer comes another way.
  case presented
  /// The shell has handed the callback over.
  case callbackDelivered
  /// The person closed it.
  case dismissed
  /// Before it could be shown, or shown once more, its server had forgotten it.
  case overdue
  /// The shell could not do it.
  case failed(Problem)
}

/// What came of helping to unlock a key store.
package enum UnlockOutcome: Equatable, Sendable {
  /// It is open now, as far as the shell can tell.
  case unlocked
  /// The person did not want to.
  case dismissed
  /// This desktop has no way to do it.
  case unavailable
  /// The shell could not do it.
  case failed(Problem)
}
