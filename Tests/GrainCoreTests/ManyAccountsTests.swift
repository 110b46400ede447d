import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainCore
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import SystemClients
import Testing

@Suite("A store with many accounts", .timeLimit(.minutes(2)))
@MainActor
struct ManyAccountsTests {
  @Test("lists, opens and changes 500 as it does 10; the times are printed, not judged")
  func figures() async throws {
    for count in [10, 500] {
      let folder = try CoreFolder()
      try await folder.fill(count)
      let clock = ContinuousClock()
      let start = clock.now
      let core = try await folder.open()
      let opened = clock.now
      await core.models.begin()
      while core.models.accounts.snapshot.session == .restoring { await Task.yield() }
      let listed = clock.now
      let list = core.models.accounts.snapshot
      #expect(list.account.count == count)
      #expect(list.session == .signedIn)
      let shown = clock.now
      let last = try #require(list.account.order.last)
      let first = try #require(list.account.order.first)
      _ = try await core.models.accounts.move(last, before: first)
      let moved = clock.now
      while core.models.accounts.snapshot.account.order.first != last { await Task.yield() }
      await core.close()
      let size = try folder.contents().values.reduce(0) { $0 + $1.count }
      print(
        """
        \(count) accounts: opened in \(opened - start), listed in \(listed - opened), a snapshot in \
        \(shown - listed), one moved in \(moved - shown); \(size / 1024) KiB on disk
        """)
    }
  }
}
