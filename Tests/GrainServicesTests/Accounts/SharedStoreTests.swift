import ATOAuth
import ATXRPC
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import SystemClients
import Testing

@Suite(
  "A store that another process holds (FB-E1)", .timeLimit(.minutes(2)),
  .enabled(if: StoreHolder.isPossible, "python3 is not installed"))
struct SharedStoreTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws { world = try await AccountsWorld() }

  private func session() async throws -> TokenSession {
    world.http.answer("as.alice.test/token", .tokens("1"))
    let grant = try world.grant(endsIn: -1)
    _ = try await world.store.adopt(grant, missingScopes: [])
    return world.session(grant)
  }

  private func sign(_ session: TokenSession) async throws(XRPCError) -> String? {
    let url = URL(string: "https://pds.alice.test/xrpc/a.b.c") ?? URL(filePath: "/")
    return try await session.authorization.sign(HTTPRequest(method: "GET", url: url))
      .request.headers["Authorization"]
  }

  private var stored: String? {
    get async throws {
      try await world.reopenedStore().grant(World.alice)?.tokens.accessToken.revealText()
    }
  }

  @Test("a write of two seconds is waited for, and the refreshed token is on disk then")
  func shortWrite() async throws {
    let session = try await session()
    let holder = try StoreHolder(world.data.databasePath, seconds: 2)
    #expect(try await sign(session) == "DPoP access-1")
    holder.release()
    #expect(try await stored == "access-1")
  }

  @Test(
    "a write that does not end is a fault that may pass; the new token waits and is written later")
  func longWrite() async throws {
    let session = try await session()
    let holder = try StoreHolder(world.data.databasePath, seconds: 60)
    let error = await #expect(throws: XRPCError.self) { _ = try await self.sign(session) }
    #expect(error == .storeFailed("new tokens could not be stored"))
    #expect(await session.storeFault == .locked(holder: nil))
    holder.release()
    #expect(try await sign(session) == "DPoP access-1")
    #expect(try await stored == "access-1")
    #expect(world.http.requests(to: "as.alice.test/token").count == 1)
  }
}

/// Another process in the middle of a write to a database.
private final class StoreHolder: Sendable {
  static let python = ProgramRunner.live.find("python3")
  static var isPossible: Bool { python != nil }

  private static let script = """
    import select, sqlite3, sys
    store = sqlite3.connect(sys.argv[1], isolation_level=None)
    store.execute("BEGIN IMMEDIATE")
    store.execute("UPDATE setting SET value = value")
    print("held", flush=True)
    select.select([sys.stdin], [], [], float(sys.argv[2]))
    store.execute("COMMIT")
    """

  private let program: HeldProgram

  /// Returns when the other process holds its lock, which it does for so long, unless released before.
  init(_ path: String, seconds: Int) throws {
    program = try HeldProgram(try #require(Self.python), ["-c", Self.script, path, "\(seconds)"])
    #expect(String(decoding: program.said(), as: UTF8.self).hasPrefix("held"))
  }

  /// Returns when the other process has ended its write; closed input is as good as a word to it.
  func release() { program.end() }
}
