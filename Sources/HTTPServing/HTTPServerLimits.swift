/// What the server takes from the other side.
package struct HTTPServerLimits: Sendable, Equatable {
  /// The largest request line and header, in bytes.
  package var headerBytes: Int
  /// The largest body, in bytes.
  package var bodyBytes: Int
  /// Connections open at once. One more pushes out the longest-waiting that has no request under way.
  package var connections: Int
  /// The time for a whole header.
  package var headerTime: Duration
  /// The time between two pieces of a body, or of an answer the other side takes in.
  package var stallTime: Duration
  /// How long a connection without a request is kept.
  package var idleTime: Duration

  /// Limits; without arguments 16 KiB of header, 64 MiB of body, 512 connections, 10 s for a
  /// header, 30 s for a stalled transfer and 60 s of silence.
  package init(
    headerBytes: Int = 16 * 1024, bodyBytes: Int = 64 << 20, connections: Int = 512,
    headerTime: Duration = .seconds(10), stallTime: Duration = .seconds(30),
    idleTime: Duration = .seconds(60)
  ) {
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.headerTime = headerTime
    self.stallTime = stallTime
    self.idleTime = idleTime
  }
}

/// Why the server could not start.
package enum HTTPServerError: Error, Equatable, Sendable {
  /// Only addresses of the loopback interface can be bound, in their standard spelling.
  case notLoopback(String)
  /// Another program has the port.
  case portInUse(Int)
  /// The system refused.
  case cannotListen(errno: Int32)
}
