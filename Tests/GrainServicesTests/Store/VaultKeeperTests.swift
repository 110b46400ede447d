import CredentialVault
import GrainTestSupport
import OpenSSLCrypto
import SystemClients
import Testing

@testable import GrainServices

@Suite("Opening the vault now or later", .timeLimit(.minutes(1)))
struct VaultKeeperTests {
  private let clock = TestClock()
  /// How an attempt comes out.
  private let lock = FakeLock()
  private let changes = Recorder<StoreFault?>()
  private let keeper: VaultKeeper

  init() {
    keeper = VaultKeeper(clock: clock.clock, log: .silent) { [lock] () async throws(VaultError) in
      try await lock.open()
    }
  }

  private func begin() async throws(StoreFault) {
    await keeper.follow { [keeper, changes] in changes.record(keeper.source.fault) }
    try await keeper.begin(patience: .seconds(3))
  }

  @Test("a key that is there opens it at once; nothing is tried again")
  func atOnce() async throws {
    try await begin()
    #expect(keeper.source.fault == nil)
    _ = try keeper.source.sealer
    await clock.advance(by: .seconds(10_000))
    #expect(lock.attempts == 1)
    #expect(await keeper.retry() == nil)
    #expect(lock.attempts == 1)
  }

  @Test("a key out of reach is asked for again after growing pauses, until it comes (FB-E6)")
  func later() async throws {
    let pauses = Recorder<Duration>()
    let hasty = SystemClock(now: { [clock] in clock.now }, sleep: { pauses.record($0) })
    let keeper = VaultKeeper(clock: hasty, log: .silent) { [lock] () async throws(VaultError) in
      if lock.attempts == 11 { lock.failure = nil }
      return try await lock.open()
    }
    lock.failure = .locked(provider: "keyring")
    #expect(throws: StoreFault.keyUnavailable("the key has not come yet")) {
      try keeper.source.sealer
    }
    await keeper.follow { [changes] in changes.record(keeper.source.fault) }
    try await keeper.begin(patience: .zero)
    await changes.wait { $0.count == 12 }
    #expect(
      pauses.values.filter { $0 > .zero }
        == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { .seconds($0) })
    #expect(changes.values == [StoreFault?](repeating: .keyLocked, count: 11) + [nil])
    _ = try keeper.source.sealer
    #expect(lock.attempts == 12)
  }

  @Test(
    "a fault of the store itself is said at once, and nothing is tried again",
    arguments: [
      (VaultError.corrupt("x"), StoreFault.corrupt("x")), (.full, .full),
      (.newer(found: 9, known: 2), .newer(found: 9, known: 2)), (.busy, .locked(holder: nil)),
      (.unwritable("x"), .unwritable("x")),
      (
        .keyWithoutVault(provider: "file"),
        .corrupt("the key file is there, but the store it belongs to is gone")
      ),
    ])
  func storeFault(error: VaultError, expected: StoreFault) async {
    lock.failure = error
    await #expect(throws: expected) { try await begin() }
    await clock.advance(by: .seconds(1000))
    #expect(lock.attempts == 1)
  }

  @Test(
    "a key that is missing, wrong or unreachable is a fault of the key, and says where to look",
    arguments: [
      (VaultError.keyMissing(provider: "file"), "the key file does not have their key"),
      (.wrongKey(provider: "keyring"), "the desktop's key store has another key than theirs"),
      (.keyUnavailable(provider: "command"), "the key command cannot be read"),
      (.keyUnavailable(provider: "x", reason: "it rains"), "it rains"),
    ])
  func keyFault(error: VaultError, reason: String) async throws {
    lock.failure = error
    try await begin()
    #expect(keeper.source.fault == .keyUnavailable(reason))
    await keeper.end()
  }

  @Test("a person who types for long is not waited for; what they typed still counts")
  func patience() async throws {
    lock.gate = Gate()
    let beginning = Task { try await begin() }
    await lock.attempts(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(3))
    try await beginning.value
    #expect(keeper.source.fault == .keyUnavailable("the key has not come yet"))
    #expect(changes.values.isEmpty)
    lock.gate?.open()
    await changes.wait { $0.count == 1 }
    #expect(changes.values == [nil])
    #expect(keeper.source.fault == nil)
    #expect(lock.attempts == 1)
  }

  @Test("told that it was unlocked, it tries at once and knows the outcome")
  func retry() async throws {
    lock.failure = .locked(provider: "keyring")
    try await begin()
    await clock.sleepers(atLeast: 1)
    #expect(await keeper.retry() == .keyLocked)
    #expect(lock.attempts == 2)
    await clock.sleepers(atLeast: 1)
    lock.failure = nil
    #expect(await keeper.retry() == nil)
    #expect(lock.attempts == 3)
    #expect(changes.values == [.keyLocked, .keyLocked, nil])
  }

  @Test("an attempt that began before the unlocking does not count")
  func overtaken() async throws {
    lock.failure = .locked(provider: "keyring")
    try await begin()
    await clock.sleepers(atLeast: 1)
    let gate = Gate()
    lock.gate = gate
    await clock.advance(by: .seconds(2))
    await lock.attempts(atLeast: 2)
    // The second attempt has seen the lock; the person unlocks while it is on its way.
    let answer = Task { await keeper.retry() }
    await gate.arrivals(atLeast: 1)
    lock.failure = nil
    lock.gate = nil
    while await !keeper.isWaitedFor { await Task.yield() }
    gate.open()
    #expect(await answer.value == nil)
    #expect(lock.attempts == 3)
  }

  @Test(
    "who gives up is let go at once; the attempt, at which a person may be typing, still counts")
  func givenUp() async throws {
    lock.failure = .locked(provider: "keyring")
    try await begin()
    await clock.sleepers(atLeast: 1)
    let gate = Gate()
    lock.gate = gate
    lock.failure = nil
    let answer = Task { await keeper.retry() }
    await gate.arrivals(atLeast: 1)
    while await !keeper.isWaitedFor { await Task.yield() }
    answer.cancel()
    #expect(await answer.value == .keyLocked)
    // One that was given up before it was asked waits for nothing either.
    let late = Task {
      await withCheckedContinuation { $0.resume() }
      while !Task.isCancelled { await Task.yield() }
      return await keeper.retry()
    }
    late.cancel()
    #expect(await late.value == .keyLocked)
    gate.open()
    await changes.wait { $0.last == .some(nil) }
    #expect(lock.attempts == 2)
  }

  @Test("an end stops the trying and answers who waits")
  func end() async throws {
    lock.failure = .locked(provider: "keyring")
    try await begin()
    await clock.sleepers(atLeast: 1)
    await keeper.end()
    #expect(clock.sleeperCount == 0)
    #expect(await keeper.retry() == .keyLocked)
    #expect(lock.attempts == 1)
  }
}

/// A vault that opens or not, as the test wants it, and holds attempts up at a gate.
private final class FakeLock: Sendable {
  private struct State {
    var failure: VaultError?
    var gate: Gate?
  }

  private let state = Locked(State())
  private let made = Recorder<Int>()

  var failure: VaultError? {
    get { state.withLock(\.failure) }
    set { state.withLock { $0.failure = newValue } }
  }
  var gate: Gate? {
    get { state.withLock(\.gate) }
    set { state.withLock { $0.gate = newValue } }
  }
  var attempts: Int { made.values.count }

  func attempts(atLeast count: Int) async { await made.wait { $0.count >= count } }

  func open() async throws(VaultError) -> VaultSealer {
    let (failure, gate) = state.withLock { ($0.failure, $0.gate) }
    made.record(1)
    await gate?.pass()
    if let failure { throw failure }
    let vault = try await CredentialVault(
      path: ":memory:", providers: [MemoryKey()], random: .live)
    return vault.sealer
  }
}

private struct MemoryKey: KeyProvider {
  let name = "memory"
  func load(vault: String) -> Secret? { Secret([UInt8](repeating: 1, count: 32)) }
  func create(vault: String, random: SystemRandom) throws(VaultError) -> Secret { throw .busy }
  func isOccupied() -> Bool { false }
  func remove(vault: String) {}
}
