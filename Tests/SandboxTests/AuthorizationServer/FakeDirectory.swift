import ATSyntax
import Foundation

@testable import Sandbox
import SystemClients

/// Three accounts in memory; everybody's password is `sandbox`.
final class FakeDirectory: AccountDirectory {
  static let alice = "did:plc:aaaabbbbccccddddeeeeffff"

  let handleDomains = [".test"]
  private let accounts = Locked<[SandboxAccount]>([])

  init() {
    let names = [("alice", "aaaabbbbccccddddeeeeffff"), ("bob", "bbbbccccddddeeeeffffgggg")]
    for (name, id) in names { add(name, id) }
  }

  /// Adds an account; its tokens are for `pds`.
  func add(_ name: String, _ id: String, pds: String = AuthorizationRig.issuer) {
    guard let did = try? DID("did:plc:\(id)"), let handle = try? Handle("\(name).test"),
      let pds = URL(string: pds)
    else { preconditionFailure("the test's own constants are well-formed") }
    accounts.withLock {
      $0.append(
        SandboxAccount(
          did: did, handle: handle, email: "\(name)@mail.test", status: .active, pds: pds))
    }
  }

  func set(_ status: AccountStatus, of did: String) {
    accounts.withLock { accounts in
      for index in accounts.indices where accounts[index].did.rawValue == did {
        accounts[index].status = status
      }
    }
  }

  func move(_ did: String, to pds: URL) {
    accounts.withLock { accounts in
      accounts = accounts.map { account in
        account.did.rawValue != did
          ? account
          : SandboxAccount(
            did: account.did, handle: account.handle, email: account.email,
            status: account.status, pds: pds)
      }
    }
  }

  func remove(_ did: String) {
    accounts.withLock { $0.removeAll { $0.did.rawValue == did } }
  }

  func account(_ name: String) async -> SandboxAccount? {
    accounts.withLock { accounts in
      accounts.first { account in
        [account.did.rawValue, account.handle.rawValue, account.email].contains(name)
      }
    }
  }

  func checkPassword(_ password: String, for did: DID) async -> Bool { password == "sandbox" }

  func createAccount(
    handle: String, email: String, password: String
  ) async throws(AccountCreationError) -> SandboxAccount {
    guard handle.hasSuffix(".test") else { throw .unsupportedDomain(handle) }
    guard await account(handle) == nil else { throw .handleNotAvailable(handle) }
    add(String(handle.dropLast(5)), "ccccddddeeeeffffgggghhhh")
    guard let account = await account(handle) else { throw .directoryUnavailable }
    return account
  }
}

extension SandboxStore {
  /// A store of its own for one test.
  static func inMemory() throws -> SandboxStore { try SandboxStore(path: ":memory:") }
}
