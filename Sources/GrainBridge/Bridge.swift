import GrainModels
import GrainSnapshots
package import JSONRPC
import StrictJSON

/// One session with one shell: bytes on two descriptors, models behind.
///
/// Messages are taken one by one in order of arrival; each intent's change is committed before its
/// verdict is written, and later changes are committed as the models report them
/// (bridge-protocol §§3–8).
package final class Bridge: Sendable {
  private let connection: RPCConnection
  private let session: BridgeSession

  private init(connection: RPCConnection, session: BridgeSession) {
    self.connection = connection
    self.session = session
  }

  /// Starts to read and write.
  ///
  /// - Throws: when the process has no descriptors or threads left.
  @MainActor
  package static func start(
    input: Int32, output: Int32, options: BridgeOptions, core: CoreOpener
  ) throws(DescriptorError) -> Bridge {
    let closings = Closings()
    let shelf = StateShelf(digest: options.digest) { closings.close($0) }
    var configuration = RPCConfiguration()
    configuration.framing = options.framing
    configuration.describe = { RPCErrorObject(Problem($0)) }
    configuration.state = StateSource { shelf.capture($0) }
    configuration.immediateRequests["ping"] = { params, statistics in
      if let unknown = params.keys.first {
        let place = MemberPlace.params.member(unknown).pointer
        return .error(RPCErrorObject(Problem(.rpcInvalidParams, field: place)))
      }
      return .result(Ping.result(statistics))
    }
    configuration.keptNotifications = ["exit"]
    configuration.note = { options.log("warn", "message refused or ignored", ["note": $0.name]) }
    if let record = options.record {
      let recorder = Recorder(record, keepsPrivate: options.recordsPrivate)
      configuration.observe = { recorder.take($0) }
    }
    configuration.immediateNotifications["$/cancelRequest"] = { params, connection in
      cancel(params["id"], on: connection)
    }
    let connection = try RPCConnection.start(
      input: input, output: output, configuration: configuration)
    closings.begin(connection, shelf)
    let session = BridgeSession(
      connection: connection, shelf: shelf, options: options, core: core)
    return Bridge(connection: connection, session: session)
  }

  /// Serves the shell until the session is over, then stops work at safe points and lets go.
  ///
  /// - Returns: why it ended.
  package func run() async -> EndReason {
    await session.run()
  }

  /// Stops reading, as if the shell had closed its end: what signals and a vanished shell do.
  package func stop() {
    connection.stopReading()
  }
}

/// A request nobody has taken yet is answered as cancelled, in its turn; any other is answered anyway.
private func cancel(_ json: JSONValue?, on connection: RPCConnection) {
  guard let json, let id = RequestID(json) else { return }
  connection.withdraw(id)
}

/// What the writer thread may have to close.
private final class Closings: Sendable {
  private let ends = OnceBox<(connection: RPCConnection, shelf: StateShelf)>()

  func begin(_ connection: RPCConnection, _ shelf: StateShelf) { ends.set((connection, shelf)) }

  func close(_ oversized: StateShelf.Oversized) {
    guard let (connection, shelf) = ends.value else { return }
    // In one go: the shell may be opening another subscription of that name.
    connection.withStateHeld {
      guard shelf.drop(oversized) else { return }
      connection.notify(
        "models/closed", ["subscription": .string(oversized.key), "reason": "tooLarge"],
        closing: [oversized.key])
    }
  }
}

/// The answer to `ping`, made on the reader thread (bridge-protocol §3.2).
private enum Ping {
  static func result(_ statistics: RPCStatistics) -> JSONObject {
    [
      "uptimeMs": JSONValue(statistics.uptime.milliseconds),
      "oldestPendingMs": JSONValue(statistics.oldestPending.milliseconds),
      "inFlight": JSONValue(statistics.inFlight),
      "subscriptions": JSONValue(statistics.subscriptions),
      "queuedControlBytes": JSONValue(statistics.queuedControlBytes),
      "coalesced": JSONValue(statistics.coalesced),
      "ignoredNotifications": JSONValue(statistics.ignoredNotifications),
    ]
  }
}

extension Duration {
  fileprivate var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension RPCNote {
  /// What happened, without anything a peer sent.
  fileprivate var name: String {
    switch self {
    case .refused(let fault): "refused \(fault.kind)"
    case .ignored(let fault): "ignored \(fault.kind)"
    case .unknownResponse: "response to nothing"
    case .answeredTwice: "answered twice"
    }
  }
}
