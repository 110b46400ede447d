/// Why a connection came to its end. The first cause counts.
package enum EndReason: Hashable, Sendable {
  /// The peer closed its end of our input; what it asked before is still answered.
  case endOfInput
  /// We were told to stop reading, with `RPCConnection.stopReading()`; the rest is as with `endOfInput`.
  case stopped
  /// The stream lost its framing; what came before is still answered.
  case framingLost(FramingFault)
  /// Reading failed with this `errno`; what came before is still answered.
  case readFailed(Int32)
  /// The peer closed its end of our output.
  case outputClosed
  /// The peer takes no more bytes, or fewer than it causes (bridge protocol §8).
  case peerStuck
  /// Writing failed with this `errno`.
  case writeFailed(Int32)
  /// We closed it.
  case closed
}
