package import StrictJSON

/// Everything the connection has to be told: limits, clock, and what it does without asking anybody above.
package struct RPCConfiguration: Sendable {
  /// How messages are told apart.
  package var framing = Framing.auto
  /// The longest message read, in bytes.
  package var maximumMessageBytes = 1_048_576
  /// What one message may ask of the parser.
  package var limits = JSONLimits()
  /// How many requests of the peer may be unanswered; the next is refused.
  package var maximumInFlight = 64
  /// How many bytes of messages may wait to be taken; the next request is refused.
  package var maximumWaitingBytes = 8 * 1_048_576
  /// How many bytes of control messages may wait to be written; with more the peer counts as stuck.
  package var maximumControlBytes = 4 * 1_048_576
  /// With more control bytes waiting than this, no further message is handed out until some are written:
  /// answers that nobody reads yet must not pile up to the point where the peer looks stuck.
  package var congestionBytes = 1_048_576
  /// How long control messages may wait without one byte being taken.
  package var stuckAfter = Duration.seconds(30)
  /// How many control messages may pass a state frame that is due (W3).
  package var controlRun = 32
  /// How long a refused request should wait before it is sent again, in milliseconds.
  package var retryAfterMilliseconds = 250
  /// What ids of our own requests begin with; a number follows.
  package var ownIDPrefix = "c-"
  /// The clock for pacing.
  package var clock = MonotonicClock.live

  /// Requests answered on the reader thread, by method: even when everybody above is busy, and without
  /// counting as in flight. Must return at once.
  package var immediateRequests: [String: @Sendable (JSONObject, RPCStatistics) -> RPCReply] = [:]
  /// Notifications seen on the reader thread at once, ahead of all that waits, by method (O7). Must return
  /// at once; they may call the connection, which is handed to them.
  package var immediateNotifications: [String: @Sendable (JSONObject, RPCConnection) -> Void] = [:]
  /// Notifications kept, without their parameters, even when so much waits that others are dropped.
  package var keptNotifications: Set<String> = []

  /// Turns what this layer refuses into the error that is sent.
  package var describe: @Sendable (RPCFault) -> RPCErrorObject = { $0.object }
  /// Builds state documents; see `StateSource`.
  package var state = StateSource.none
  /// Told what would otherwise go unnoticed. Called on any thread; must return at once.
  package var note: @Sendable (RPCNote) -> Void = { _ in }
  /// Sees every frame read and every message written, in order per direction. Called on the reader and on
  /// the writer thread; of messages that are written, never by both at once.
  package var observe: (@Sendable (RPCTraffic) -> Void)?

  /// The values of bridge protocol §8.
  package init() {}
}

/// An answer made on the spot.
package enum RPCReply: Hashable, Sendable {
  /// The request succeeded.
  case result(JSONObject)
  /// It did not.
  case error(RPCErrorObject)
}

/// Something worth a line in the log.
package enum RPCNote: Hashable, Sendable {
  /// A message was refused and the peer was told.
  case refused(RPCFault)
  /// A notification or response was unfit, or a notification came at a bad time; nobody was told.
  case ignored(RPCFault)
  /// A response to a request we did not make, or one that is answered already.
  case unknownResponse(RequestID)
  /// Somebody here answered a request twice, or one that never was; nothing was sent.
  case answeredTwice(RequestID)
}

/// Bytes that passed.
package enum RPCTraffic: Hashable, Sendable {
  /// One frame, as it came.
  case received([UInt8])
  /// One message, as it went.
  case sent([UInt8])
}
