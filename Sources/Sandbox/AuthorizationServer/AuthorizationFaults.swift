package import StrictJSON
import SystemClients

/// What an authorization server is told to do wrong; all off at first.
///
/// Connection faults (lost and late answers, 5xx, 429) and a skewed clock belong to the network
/// around the server.
package final class AuthorizationFaults: Sendable {
  /// The faults in force.
  package struct Switches: Sendable {
    /// `iss` of redirects, instead of the issuer; empty leaves the parameter out (FB-A14).
    package var redirectIssuer: String?
    /// Members of token answers set to other values, `sub` for example (FB-A15).
    package var tokenMembers: [String: JSONValue] = [:]
    /// Members left out of token answers, `refresh_token` or `scope` for example (G113).
    package var missingTokenMembers: Set<String> = []
    /// Scope items the person unticks, whatever the page sends (G110).
    package var withheldScopes: Set<String> = []
    /// Lifetimes instead of the server's own.
    package var lifetimes: GrantLifetimes?
    /// When nonces change (FB-A1).
    package var nonceRotation = NonceRotation.everyMinute
    /// How the next refreshes are refused, one each, before anything is looked at (G55).
    package var refreshRefusals: [RefreshRefusal] = []

    /// No fault.
    package init() {}
  }

  /// One refused refresh; the session stays as it is.
  package struct RefreshRefusal: Sendable, Equatable {
    /// The HTTP status.
    package let status: Int
    /// The OAuth error name.
    package let error: String
    /// Its text.
    package let description: String

    /// A refusal; 400 unless said otherwise.
    package init(status: Int = 400, error: String, description: String = "Refused by request") {
      self.status = status
      self.error = error
      self.description = description
    }
  }

  private let switches = Locked(Switches())

  /// A server without faults.
  package init() {}

  /// The faults in force now.
  package var current: Switches { switches.withLock { $0 } }

  /// Changes the faults; the next request meets them.
  package func set(_ change: (inout Switches) -> Void) {
    switches.withLock { change(&$0) }
  }

  /// Turns every fault off.
  package func clear() { set { $0 = Switches() } }

  /// The refusal meant for this refresh, used up by asking.
  func takeRefreshRefusal() -> RefreshRefusal? {
    switches.withLock { $0.refreshRefusals.isEmpty ? nil : $0.refreshRefusals.removeFirst() }
  }
}
