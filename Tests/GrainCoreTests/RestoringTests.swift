import ATOAuth
import ATSyntax
import Foundation
import GrainCore
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@Suite("Accounts whose key is out of reach", .timeLimit(.minutes(1)))
@MainActor
struct RestoringTests {
  private let folder: CoreFolder

  init() throws { folder = try CoreFolder() }

  private func unavailable(_ reason: String) -> Problem {
    Problem(
      .keyringUnavailable, params: ["reason": .text(reason)],
      fallback: "Your accounts cannot be opened: {reason}. Nothing was changed; see "
        + "“grain-core doctor”.",
      details: ["reason": .text(reason)])
  }

  /// Waits until the list of accounts satisfies a condition.
  private func wait(
    _ core: Core, until condition: @MainActor (AccountListSnapshot) -> Bool
  ) async {
    while !condition(core.models.accounts.snapshot) { await Task.yield() }
  }

  @Test("are shown as restoring with the reason, allow nothing, and change nothing (FB-E3)")
  func restoring() async throws {
    try await folder.fill()
    let key = try Data(contentsOf: URL(filePath: folder.file("vault.key")))
    try FileManager.default.removeItem(atPath: folder.file("vault.key"))
    let before = try Data(contentsOf: URL(filePath: folder.file("core.sqlite")))

    let core = try await folder.open()
    await core.models.begin()
    await wait(core) { $0.problem != nil }
    let problem = unavailable("the key file does not have their key")
    let list = core.models.accounts.snapshot
    let did = try CoreFolder.grant(0).did.rawValue
    #expect(
      list
        == AccountListSnapshot(
          status: .failed, phase: .restoring, can: [.accountsUnlock], problem: problem,
          session: .restoring,
          sessionReason: problem.message,
          account: [
            did: AccountListSnapshot.Account(
              provider: "grain", handle: "aaa.test", standing: .ok, can: [])
          ]))
    // Nobody can be signed in over it either, and the form does not say “signed out”.
    #expect(core.models.login.snapshot.phase == .signedIn)
    #expect(core.models.login.snapshot.can == [])
    #expect(throws: IntentRejection.self) { try core.models.login.start() }
    #expect(core.models.drafts.snapshot.can == [])
    await core.close()
    #expect(!FileManager.default.fileExists(atPath: folder.file("vault.key")))
    #expect(try Data(contentsOf: URL(filePath: folder.file("core.sqlite"))) == before)

    try key.write(to: URL(filePath: folder.file("vault.key")))
    let again = try await folder.open()
    await again.models.begin()
    await wait(again) { $0.session == .signedIn }
    await again.close()
  }

  @Test("become ready by themselves when the key comes")
  func recovery() async throws {
    try await folder.fill()
    let url = URL(filePath: folder.file("vault.key"))
    let key = try Data(contentsOf: url)
    try Data("no key\n".utf8).write(to: url)
    let core = try await folder.open()
    await core.models.begin()
    await wait(core) { $0.problem == unavailable("the key file has another key than theirs") }
    await folder.clock.sleepers(atLeast: 1)
    try key.write(to: url)
    await folder.clock.advance(by: .seconds(2))
    await wait(core) { $0.phase == .ready }
    let list = core.models.accounts.snapshot
    #expect(list.session == .signedIn)
    #expect(list.problem == nil)
    #expect(list.active == list.account.order.first)
    await wait(core) { $0.can == [.accountsSignOut] }
    #expect(core.models.login.snapshot.can.contains(.loginStart))
    await core.close()
    #expect(folder.clock.sleeperCount == 0)
  }

  @Test("a new store waits for the key command that was asked for; no other key is made (FB-E6)")
  func newStore() async throws {
    let core = try await folder.open(folder.commandKeys())
    await core.models.begin()
    await wait(core) { $0.problem == unavailable("the key command ended with status 1") }
    #expect(core.models.accounts.snapshot.session == .restoring)
    #expect(!FileManager.default.fileExists(atPath: folder.file("vault.key")))
    await folder.clock.sleepers(atLeast: 1)
    try Data(CoreFolder.firstPassword.utf8).write(to: URL(filePath: folder.keySource))
    await folder.clock.advance(by: .seconds(2))
    await wait(core) { $0.phase == .empty }
    #expect(core.models.accounts.snapshot.session == .signedOut)
    await core.close()

    // Another password is another key: the same store, closed again.
    try Data("another horse battery staple".utf8).write(to: URL(filePath: folder.keySource))
    let other = try await folder.open(folder.commandKeys())
    await other.models.begin()
    await wait(other) { $0.problem == unavailable("the key command has another key than theirs") }
    await other.close()
  }

  @Test("a core that is closed while it waits lets go of the folder")
  func closed() async throws {
    let core = try await folder.open(folder.commandKeys())
    await core.models.begin()
    #expect(await fault { () throws(StoreFault) in try await folder.open() } != nil)
    await core.close()
    #expect(await fault { () throws(StoreFault) in try await folder.open() } == nil)
  }
}
