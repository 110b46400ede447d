import ATOAuth
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import Synchronization
import SystemClients
import Testing

@Suite("The owner of an account's tokens")
struct TokenSessionTests {
  private let world = World()
  private let saved = Recorder<String>()

  private func session(
    endsIn seconds: TimeInterval, stored: Grant? = nil, failing: Recorder<Bool>? = nil
  ) throws -> TokenSession {
    TokenSession(
      grant: try world.grant(endsIn: seconds),
      client: GrantClient(http: world.http, environment: world.environment),
      store: GrantStore(
        load: { stored },
        save: { [saved] grant throws(GrantStoreError) in
          if failing?.values.isEmpty == true {
            failing?.record(true)
            throw GrantStoreError("full")
          }
          saved.record(grant.tokens.accessToken.revealText())
        }),
      clock: world.clock.clock, random: .seeded(1))
  }

  @Test("a good token is handed out without a request")
  func good() async throws {
    let session = try session(endsIn: 3600)
    #expect(try await session.usableGrant().tokens.accessToken == Secret(text: "access-token-0"))
    #expect(world.requests.isEmpty)
  }

  @Test(
    "a token that has ended or is about to is refreshed before it is used (FB-A32)",
    arguments: [-3600.0, 0, 30, 60])
  func ahead(seconds: TimeInterval) async throws {
    let session = try session(endsIn: seconds)
    #expect(try await session.usableGrant().tokens.accessToken == Secret(text: "access-token-1"))
    #expect(saved.values == ["access-token-1"])
    #expect(await session.generation == 1)
  }

  @Test(
    "ten callers at once share one refresh, stored before any of them gets it (G56, FB-A5, A27)")
  func singleFlight() async throws {
    let gate = AsyncStream.makeStream(of: Void.self)
    world.answer(
      "as.test/oauth/token",
      ScriptedHTTP.Answer { request throws(HTTPError) in
        for await _ in gate.stream { break }
        return try await ScriptedHTTP(World.tokens()).client.send(request)
      })
    let session = try session(endsIn: -1)
    try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<10 {
        group.addTask { try await session.usableGrant().tokens.accessToken }
      }
      gate.continuation.yield()
      for try await token in group {
        #expect(token == Secret(text: "access-token-1"))
        #expect(saved.values == ["access-token-1"])
      }
    }
    #expect(world.requests.count == 1)
  }

  @Test("if the one refresh fails, all callers get the same error from one request (FB-A5)")
  func sharedFailure() async throws {
    world.answer("as.test/oauth/token", .json(#"{"error":"invalid_grant"}"#, status: 400))
    let session = try session(endsIn: -1, stored: try world.grant())
    await withTaskGroup(of: SessionFailure?.self) { group in
      for _ in 0..<10 {
        group.addTask {
          do throws(SessionFailure) {
            _ = try await session.usableGrant()
            return nil
          } catch {
            return error
          }
        }
      }
      for await failure in group {
        #expect(failure == .ended(error: "invalid_grant", description: nil))
      }
    }
    #expect(world.requests.count == 1)
    #expect(await session.hasEnded)
  }

  @Test("a refused token that was replaced meanwhile costs no refresh (the join rule)")
  func join() async throws {
    let session = try session(endsIn: 3600)
    let old = Secret(text: "access-token-0")
    #expect(
      try await session.grant(insteadOf: old).tokens.accessToken == Secret(text: "access-token-1"))
    #expect(
      try await session.grant(insteadOf: old).tokens.accessToken == Secret(text: "access-token-1"))
    #expect(world.requests.count == 1)
  }

  @Test("a cancelled caller does not cancel the refresh (G112)")
  func cancellation() async throws {
    let entered = AsyncStream.makeStream(of: Void.self)
    let gate = AsyncStream.makeStream(of: Void.self)
    world.answer(
      "as.test/oauth/token",
      ScriptedHTTP.Answer { request throws(HTTPError) in
        entered.continuation.yield()
        for await _ in gate.stream { break }
        if Task.isCancelled { throw .cancelled }
        return try await ScriptedHTTP(World.tokens()).client.send(request)
      })
    let session = try session(endsIn: -1)
    let caller = Task { try await session.usableGrant() }
    for await _ in entered.stream { break }
    caller.cancel()
    gate.continuation.yield()
    _ = await caller.result
    #expect(try await session.usableGrant().tokens.accessToken == Secret(text: "access-token-1"))
    #expect(world.requests.count == 1)
  }

  @Test("passing faults keep the grant; each call tries once, after a growing pause (FB-A4, FB-A6)")
  func growingPause() async throws {
    world.answer(
      "as.test/oauth/token", .failure(.cannotConnect("as.test")), .failure(.connectionLost),
      .status(503), World.tokens())
    let session = try session(endsIn: -1)
    var waits: [Duration] = []
    for attempt in 0..<4 {
      let call = Task { try? await session.usableGrant() }  // the outcome is asserted below
      if attempt > 0 {
        await world.clock.sleepers(atLeast: 1)
        let before = world.clock.now
        while world.clock.sleeperCount > 0 { await world.clock.advance(by: .milliseconds(250)) }
        waits.append(.seconds(world.clock.now.timeIntervalSince(before)))
      }
      #expect((await call.value == nil) == (attempt < 3))
      #expect(world.requests.count == attempt + 1)
    }
    #expect(waits == [.milliseconds(500), .seconds(1), .seconds(2)])
    #expect(saved.values == ["access-token-1"])
    #expect(await session.hasEnded == false)
  }

  @Test("a long pause the server asks for is not waited out: attempts before its end fail at once")
  func retryAfter() async throws {
    world.answer(
      "as.test/oauth/token", .status(429, headers: ["Retry-After": "60"]), World.tokens())
    let session = try session(endsIn: -1)
    for left in [60, 60] {
      await #expect(
        throws: SessionFailure.transient(
          .server(status: 429, error: nil, description: nil), retryAfter: .seconds(left))
      ) { try await session.usableGrant() }
    }
    #expect(world.requests.count == 1)
    await world.clock.advance(by: .seconds(60))
    _ = try await session.usableGrant()
  }

  @Test("a refresh ahead of time that fails lets the good token through")
  func goodMeanwhile() async throws {
    world.answer("as.test/oauth/token", .status(503))
    let session = try session(endsIn: 30)
    #expect(try await session.usableGrant().tokens.accessToken == Secret(text: "access-token-0"))
  }

  @Test(
    "tokens that cannot be stored are not used, not lost, and stored by the next call (check 33)")
  func storeFails() async throws {
    let failing = Recorder<Bool>()
    let session = try session(endsIn: -1, failing: failing)
    await #expect(throws: SessionFailure.store(GrantStoreError("full"))) {
      try await session.usableGrant()
    }
    #expect(try await session.usableGrant().tokens.accessToken == Secret(text: "access-token-1"))
    #expect(world.requests.count == 1)
    #expect(saved.values == ["access-token-1"])
  }

  @Test("before a refusal ends the grant the store is read again (check 36)")
  func rotatedElsewhere() async throws {
    world.answer("as.test/oauth/token", .json(#"{"error":"invalid_grant"}"#, status: 400))
    let other = try world.grant().with(
      tokens: TokenSet(
        accessToken: Secret(text: "access-token-9"), refreshToken: Secret(text: "refresh-token-9"),
        expiresAt: nil, scope: "atproto"))
    let session = try session(endsIn: -1, stored: other)
    #expect(try await session.usableGrant().tokens.accessToken == Secret(text: "access-token-9"))
    #expect(await session.hasEnded == false)
  }

  @Test("an ended grant asks nobody again (FB-A6)")
  func ended() async throws {
    world.answer("as.test/oauth/token", .json(#"{"error":"invalid_grant"}"#, status: 400))
    let session = try session(endsIn: -1)
    for _ in 0..<3 {
      await #expect(throws: SessionFailure.ended(error: "invalid_grant", description: nil)) {
        try await session.usableGrant()
      }
    }
    await #expect(throws: SessionFailure.self) {
      try await session.grant(insteadOf: Secret(text: "access-token-0"))
    }
    #expect(world.requests.count == 1)
  }

  @Test("a move keeps the tokens and is stored (G101)")
  func move() async throws {
    let session = try session(endsIn: 3600)
    try await session.move(
      to: try world.grant().with(pds: World.url("https://new.test"), handle: nil))
    #expect(await session.grant.pds.absoluteString == "https://new.test")
    #expect(saved.values == ["access-token-0"])
  }
}
