import JSONRPC
import SystemClients

/// A value that is known a little later than whoever needs it.
final class OnceBox<Value: Sendable>: Sendable {
  private let held = Locked<Value?>(nil)

  var value: Value? { held.withLock { $0 } }

  func set(_ value: Value) { held.withLock { $0 = value } }
}
