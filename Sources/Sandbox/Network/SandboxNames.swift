import Foundation

/// The names of a network: of its servers, where they have any, and of its accounts.
struct SandboxNames: Sendable, Equatable {
  /// What every name ends in, without a leading dot.
  let domain: String

  /// The name of a server that has one.
  func host(of server: SandboxConfiguration.ServerName) -> String {
    "\(Self.label(of: server)).\(domain)"
  }

  /// What the handles end in that an authorization server gives out, with its leading dot.
  func handleDomain(of server: SandboxConfiguration.ServerName) -> String {
    switch server {
    case .entryway, .hostedPDS, .signUpPDS: ".\(Self.label(of: Self.issuer(of: server))).\(domain)"
    case .plc, .appView, .pds, .platrium, .pixiv: ".\(domain)"
    }
  }

  /// A handle written under `.test`, under this network's domain.
  func handle(_ standard: String) -> String {
    standard.hasSuffix(".test") ? "\(standard.dropLast("test".count))\(domain)" : standard
  }

  /// Who answers for a name: a server for its own, else the one that signs in the handle's account;
  /// `nil` for a name of somebody else.
  func server(for host: String) -> SandboxConfiguration.ServerName? {
    let own = SandboxConfiguration.ServerName.allCases.first { self.host(of: $0) == host }
    let issuers: [SandboxConfiguration.ServerName] = [.entryway, .signUpPDS, .pds]
    return own ?? issuers.first { host.hasSuffix(handleDomain(of: $0)) }
  }

  private static func issuer(
    of server: SandboxConfiguration.ServerName
  ) -> SandboxConfiguration.ServerName {
    server == .hostedPDS ? .entryway : server
  }

  private static func label(of server: SandboxConfiguration.ServerName) -> String {
    switch server {
    case .plc: "plc"
    case .appView: "appview"
    case .pds: "pds"
    case .entryway: "entryway"
    case .hostedPDS: "hosted"
    case .signUpPDS: "signup"
    case .platrium: "platrium"
    case .pixiv: "pixiv"
    }
  }
}
