package import ATSyntax
package import Foundation

/// One account of the sandbox, as its hosting server knows it.
package struct SandboxAccount: Sendable, Equatable {
  /// Its permanent name.
  package let did: DID
  /// Its readable alias, in lower case.
  package var handle: Handle
  /// In lower case; shown to nobody without permission.
  package var email: String
  /// What it may do now.
  package var status: AccountStatus
  /// The origin of the server that holds the repository; tokens are issued for it.
  package let pds: URL

  /// An account as a directory describes it.
  package init(did: DID, handle: Handle, email: String, status: AccountStatus, pds: URL) {
    self.did = did
    self.handle = handle
    self.email = email
    self.status = status
    self.pds = pds
  }
}

/// What an account may do; the raw values are those of `getSession` and `sync.getRepoStatus`.
package enum AccountStatus: String, Sendable, CaseIterable {
  case active
  case deactivated
  case takendown
  case suspended
}

/// Why an account was not made.
package enum AccountCreationError: Error, Equatable, Sendable {
  case invalidHandle(String)
  case handleNotAvailable(String)
  /// The handle is not under one of the server's own domains.
  case unsupportedDomain(String)
  /// The PLC directory did not take the new identity.
  case directoryUnavailable
}

/// The accounts an authorization server may sign in.
package protocol AccountDirectory: Sendable {
  /// The domains new handles are made under, each with its leading dot.
  var handleDomains: [String] { get }

  /// Looks an account up by handle (any case), DID or e-mail address.
  func account(_ handleOrDIDOrEmail: String) async -> SandboxAccount?

  /// Whether `password` is the account's; false for an unknown account.
  func checkPassword(_ password: String, for did: DID) async -> Bool

  /// Makes an account: its identity at the PLC directory, then its repository.
  func createAccount(
    handle: String, email: String, password: String
  ) async throws(AccountCreationError) -> SandboxAccount
}
