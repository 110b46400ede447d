import Foundation
import Glibc
import GrainBridge
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import JSONRPC
import StrictJSON
import SystemClients
import Testing

/// A shell in a test: a bridge over real pipes with scripted services behind it.
///
/// Reads only when told, and judges every message it reads.
final class Shell: Sendable {
  let signIn = ScriptedSignIn()
  let accounts: ScriptedAccounts
  let galleries = ScriptedGalleries()
  let devices = ScriptedDevices()
  /// What the bridge waits for with a clock; it moves when told.
  let clock = TestClock()
  let bridge: Bridge
  let recorded = Recorder<RecordedMessage>()
  let logged = Recorder<String>()
  private let running: Task<EndReason, Never>
  private let messages: AsyncStream<JSONValue>
  private let output: Locked<FileHandle?>
  private let held: Locked<Held>

  private struct Held: Sendable {
    var judge = SessionJudge()
    var nextID = 1
    var early: [JSONValue: JSONValue] = [:]
  }

  /// What a test may change about its session.
  struct Setup: Sendable {
    var accounts = AccountsState.alice
    /// Who can be signed in with.
    var offers = [ProviderOffer(provider: .grain, needs: .handle)]
    var options = BridgeOptions()
    /// Why the core cannot be opened, attempt by attempt.
    var failures: [Problem] = []
    /// Whether somebody reads what the bridge writes.
    var reads = true
    /// The most that is read at a time.
    var readStep = 65_536
    /// Passed on the way to an open core, and on the way out.
    var opening = Turnstile()
    var closing = Turnstile()
  }

  /// A bridge that has read nothing yet.
  static func connect(_ change: (inout Setup) -> Void = { _ in }) async throws -> Shell {
    signal(SIGPIPE, SIG_IGN)
    var setup = Setup()
    setup.options.digest = { Fingerprint.text($0) }
    change(&setup)
    return try await Shell(setup)
  }

  /// A session in which everything is agreed on.
  static func begin(
    _ hello: JSONObject = .hello, _ change: (inout Setup) -> Void = { _ in }
  ) async throws -> Shell {
    let shell = try await connect(change)
    #expect(try await shell.call("initialize", hello)["result"] != nil)
    return shell
  }

  private init(_ setup: Setup) async throws {
    let toBridge = Pipe()
    let fromBridge = Pipe()
    let accounts = ScriptedAccounts(stored: setup.accounts)
    self.accounts = accounts
    var options = setup.options
    options.clock = clock.clock
    options.record = { [recorded] in recorded.record($0) }
    options.log = { [logged] level, message, fields in
      logged.record("\(level) \(message) \(fields.sorted { $0.key < $1.key }.map(\.value))")
    }
    let failures = Locked(setup.failures)
    signIn.offers = setup.offers
    let doors = (signIn.door, accounts.door, galleries.door, devices.door)
    let opener = CoreOpener(
      open: {
        await setup.opening.pass()
        let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { return .failure(OpeningFailure(failure)) }
        return .success(
          await CoreModels(
            signIn: doors.0, accounts: doors.1, galleries: doors.2, devices: doors.3))
      },
      close: { await setup.closing.pass() })
    bridge = try await Bridge.start(
      input: dup(toBridge.fileHandleForReading.fileDescriptor),
      output: dup(fromBridge.fileHandleForWriting.fileDescriptor), options: options, core: opener)
    try toBridge.fileHandleForReading.close()
    try fromBridge.fileHandleForWriting.close()
    output = Locked(toBridge.fileHandleForWriting)
    var judge = SessionJudge()
    judge.digest = options.digest
    held = Locked(Held(judge: judge))
    running = Task { [bridge] in await bridge.run() }
    let (messages, feed) = AsyncStream.makeStream(of: JSONValue.self)
    self.messages = messages
    let input = fromBridge.fileHandleForReading
    guard setup.reads else {
      try input.close()
      feed.finish()
      return
    }
    let thread = Thread { Self.read(input, step: setup.readStep, into: feed) }
    thread.name = "shell of a test"
    thread.start()
  }

  deinit { hangUp() }

  // MARK: Writing

  /// Sends a line as it is; an answer is expected if it has an id.
  func send(line: String) {
    if let message = try? JSONParser.parse(Array(line.utf8)) {  // tests send what is no JSON, too
      expectAnswer(to: message)
    }
    send(line + "\n")
  }

  private func expectAnswer(to message: JSONValue) {
    held.withLock { held in
      do { try held.judge.sent(message) } catch { Issue.record(error) }
    }
  }

  /// Sends a message in pieces, each in a write of its own.
  func send(_ message: JSONValue, in pieces: [[UInt8]]) {
    expectAnswer(to: message)
    let handle = output.withLock(\.self)
    // A bridge that has ended reads no more, and the test sees that elsewhere.
    for piece in pieces { try? handle?.write(contentsOf: Data(piece)) }
  }

  /// Sends a text as it is.
  func send(_ text: String) {
    let handle = output.withLock(\.self)
    // A bridge that has ended reads no more, and the test sees that elsewhere.
    try? handle?.write(contentsOf: Data(text.utf8))
  }

  func send(_ message: JSONValue) {
    expectAnswer(to: message)
    send("\(message.text())\n")
  }

  /// Sends a request and waits for nothing.
  ///
  /// - Returns: its id.
  @discardableResult
  func request(_ method: String, _ params: JSONObject = [:]) -> JSONValue {
    let id = nextID()
    send(Self.request(id, method, params))
    return id
  }

  /// Sends several requests in one write.
  ///
  /// - Returns: their ids.
  func requests(_ calls: [(method: String, params: JSONObject)]) -> [JSONValue] {
    let requests = calls.map { call in
      let id = nextID()
      return (id: id, message: Self.request(id, call.method, call.params))
    }
    for request in requests { expectAnswer(to: request.message) }
    send(requests.map { "\($0.message.text())\n" }.joined())
    return requests.map(\.id)
  }

  func notify(_ method: String, _ params: JSONObject = [:]) {
    send(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
  }

  /// Answers an effect.
  func answer(_ effect: JSONValue, _ outcome: String) {
    send(["jsonrpc": "2.0", "id": effect["id"] ?? .null, "result": ["outcome": .string(outcome)]])
  }

  /// Closes our end.
  func hangUp() {
    let handle = output.withLock { $0.take() }
    try? handle?.close()  // ours either way
  }

  private func nextID() -> JSONValue {
    held.withLock { held in
      defer { held.nextID += 1 }
      return JSONValue(held.nextID)
    }
  }

  private static func request(
    _ id: JSONValue, _ method: String, _ params: JSONObject
  ) -> JSONValue {
    ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params)]
  }

  // MARK: Reading

  /// The bridge has ended, and there is nothing more to read.
  struct Ended: Error {}

  /// The next message, judged.
  func next() async throws -> JSONValue {
    var iterator = messages.makeAsyncIterator()
    guard let message = await iterator.next() else { throw Ended() }
    let faults = try held.withLock { try $0.judge.received(message) }
    for fault in faults { Issue.record("\(fault): \(message.text().prefix(600))") }
    return message
  }

  /// What comes until a message fits, that one included.
  func until(_ fits: (JSONValue) -> Bool) async throws -> [JSONValue] {
    var read: [JSONValue] = []
    while true {
      let message = try await next()
      read.append(message)
      if fits(message) { return read }
    }
  }

  /// The first message that fits; what comes before is passed over.
  func first(_ fits: (JSONValue) -> Bool) async throws -> JSONValue {
    try #require(try await until(fits).last)
  }

  /// The next message with this method.
  func next(_ method: String) async throws -> JSONValue {
    try await first { $0["method"]?.stringValue == method }
  }

  /// The answer to a request.
  func answer(to id: JSONValue) async throws -> JSONValue {
    try await first { $0["id"] == id && $0["method"] == nil }
  }

  /// Sends a request and reads until its answer.
  func call(_ method: String, _ params: JSONObject = [:]) async throws -> JSONValue {
    try await answer(to: request(method, params))
  }

  /// The state held of a subscription.
  func state(_ subscription: String) -> JSONValue? {
    held.withLock { $0.judge.subscriptions[subscription]?.state }
  }

  /// The revision held of a subscription.
  func revision(_ subscription: String) -> Int? {
    held.withLock { $0.judge.subscriptions[subscription]?.revision }
  }

  /// Reads until the held state of a subscription fits.
  @discardableResult
  func wait(_ subscription: String, _ fits: (JSONValue) -> Bool) async throws -> JSONValue {
    while true {
      if let state = state(subscription), fits(state) { return state }
      _ = try await next()
    }
  }

  /// Subscribes and reads the first snapshot.
  func subscribe(
    _ key: String, to model: String, draft: String? = nil, delivery: String = "merge",
    rate: Int = 60
  ) async throws {
    var params: JSONObject = [
      "subscription": .string(key), "model": .string(model), "delivery": .string(delivery),
      "maxRateHz": JSONValue(rate),
    ]
    if let draft { params["args"] = ["draft": .string(draft)] }
    #expect(try await call("models/subscribe", params)["result"] != nil)
    try await wait(key) { _ in true }
  }

  // MARK: The end

  /// Everything there is still to read, until the bridge closes its end.
  func rest() async throws -> [JSONValue] {
    var messages: [JSONValue] = []
    do {
      while true { messages.append(try await next()) }
    } catch is Ended {
      return messages
    }
  }

  /// Closes our end and reads everything that still comes.
  func finish() async throws -> [JSONValue] {
    hangUp()
    return try await rest()
  }

  /// Why the session ended.
  var reason: EndReason {
    get async { await running.value }
  }

  private static func read(
    _ input: FileHandle, step: Int, into feed: AsyncStream<JSONValue>.Continuation
  ) {
    var pending = Data()
    var buffer = [UInt8](repeating: 0, count: step)
    while true {
      let count = Glibc.read(input.fileDescriptor, &buffer, step)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      pending.append(contentsOf: buffer[..<count])
      guard buffer[..<count].contains(0x0A) else { continue }
      while let end = pending.firstIndex(of: 0x0A) {
        do {
          feed.yield(try JSONParser.parse(Array(pending[..<end]), limits: .document))
        } catch {
          Issue.record("not a line of JSON: \(error)")
        }
        pending = Data(pending[(end + 1)...])
      }
    }
    #expect(pending.isEmpty, "half a message at the end")
    feed.finish()
  }
}

/// A digest for tests: any function of the bytes will do.
enum Fingerprint {
  /// FNV-1a, 64 bits.
  static func text(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes {
      hash ^= UInt64(byte)
      hash &*= 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }
}
