package import ATIdentity
package import ATOAuth
import ATSyntax
import Foundation
import HTTPTransport
import OAuth

extension SignInError {
  /// A failed sign-in as the protocol rooms report it; `name` is what the person typed, for words
  /// about it.
  package init(_ error: ATOAuthError, name: String) {
    switch error {
    case .identity(let error): self.init(error, name: name)
    case .serverUnsupported(
      _, .metadata(.mismatch(member: "issuer", expected: let expected, found: let found))):
      self = .issuerMismatch(expected: expected, found: Self.clean(found), in: .metadata)
    case .serverUnsupported(let host, let detail):
      self = .serverUnsupported(
        host: Self.host(host), detail: ServerText.clean("\(detail)", limit: 200))
    case .clientUnavailable(let host, let description):
      self = .clientUnavailable(host: Self.host(host), detail: description)
    case .denied: self = .denied
    case .callbackMismatch(.issuer(expected: let expected, found: let found)):
      self = .issuerMismatch(expected: expected, found: found.map(Self.clean), in: .callback)
    case .callbackMismatch, .alreadyUsed: self = .callbackMismatch
    case .expired: self = .expired
    case .identityMismatch(.hostedElsewhere(expected: let expected, found: let found)):
      self = .issuerMismatch(expected: expected, found: found, in: .account)
    case .identityMismatch: self = .identityMismatch
    case .scopeRefused: self = .grantUnusable
    case .network(_, .cancelled): self = .cancelled
    case .network(let host, let error):
      self = .remote(RemoteFault(error, host: Self.host(host)))
    case .server(let host, let status, let error, let description, let pause):
      self = Self.answered(
        host: Self.host(host), status: status, error: error, description: description,
        pause: pause)
    case .badResponse(let host, let part):
      self = .remote(.badResponse(host: Self.host(host), detail: part))
    case .misconfigured:
      self = .clientUnavailable(host: "", detail: "the client configuration does not fit")
    case .cryptography: self = .store(.keyUnavailable("a proof key could not be made"))
    }
  }

  /// A failed look-up.
  package init(_ error: IdentityError, name: String) {
    switch error {
    case .invalidInput, .unsupportedMethod: self = .handleInvalid(typed: name)
    case .handleNotFound, .didNotFound: self = .handleNotFound(name: name)
    case .handleUnconfirmed: self = .handleUnconfirmed(name: name)
    case .noPDS: self = .noServer(name: name)
    case .invalidDocument: self = .identityUnreachable(name: name)
    case .unreachable(_, .cancelled?): self = .cancelled
    case .unreachable(_, .offline?): self = .remote(.offline)
    // Not a matter of the name, and no later try mends it.
    case .unreachable(let host, .tls?): self = .remote(.tls(host: host))
    case .unreachable: self = .identityUnreachable(name: name)
    }
  }

  private static func answered(
    host: String, status: Int, error: String?, description: String?, pause: Duration?
  ) -> SignInError {
    if status == 429 { return .remote(.rateLimited(host: host, retryAfter: pause)) }
    if status >= 500 || error == "temporarily_unavailable" {
      return .remote(.server(host: host, detail: description, retryAfter: pause))
    }
    guard let error else { return .remote(.badResponse(host: host, detail: "status \(status)")) }
    return .refused(host: host, error: error, detail: description)
  }

  /// A name that came from outside, to be shown.
  private static func clean(_ issuer: String) -> String {
    ServerText.clean(issuer, limit: 200)
  }

  /// Issuers arrive as origins; people read host names.
  private static func host(_ text: String) -> String {
    URL(string: text)?.host() ?? text
  }
}
