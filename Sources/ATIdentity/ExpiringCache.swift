import Foundation

/// Values that may be reused for a while.
struct ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let lifetime: TimeInterval
  private let capacity: Int
  private var entries: [Key: (value: Value, storedAt: Date)] = [:]

  init(lifetime: Duration, capacity: Int = 1000) {
    self.lifetime = lifetime / .seconds(1)
    self.capacity = capacity
  }

  /// The value, unless it is too old, or from a future that a clock correction took back.
  func value(for key: Key, at now: Date) -> Value? {
    guard let entry = entries[key] else { return nil }
    let age = now.timeIntervalSince(entry.storedAt)
    return age >= 0 && age < lifetime ? entry.value : nil
  }

  mutating func store(_ value: Value, for key: Key, at now: Date) {
    if entries.count >= capacity, entries[key] == nil { entries.removeAll() }
    entries[key] = (value, now)
  }

  mutating func remove(_ key: Key) {
    entries[key] = nil
  }
}
