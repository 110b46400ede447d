/// The machine's randomness.
package struct SystemRandom: Sendable {
  /// That many random bytes.
  package var bytes: @Sendable (Int) -> [UInt8]

  /// Randomness made of a closure.
  package init(bytes: @escaping @Sendable (Int) -> [UInt8]) {
    self.bytes = bytes
  }

  /// The kernel's generator, fit for keys, states and verifiers.
  package static let live = SystemRandom { count in
    var generator = SystemRandomNumberGenerator()
    return generator.bytes(count)
  }

  /// The same bytes for the same seed, in the order they are asked for. Never for secrets.
  package static func seeded(_ seed: UInt64) -> SystemRandom {
    let generator = SeededGenerator(seed: seed)
    return SystemRandom { count in generator.bytes(count) }
  }

  /// The generator of one run of a program that is always given the same seed: what it draws in one run
  /// it does not draw in another. Run 0 is ``seeded(_:)``.
  package static func seeded(_ seed: UInt64, run: UInt64) -> SystemRandom {
    run == 0 ? seeded(seed) : seeded(seed ^ SeededGenerator.scrambled(run))
  }

  /// An even choice from `0..<bound`; `bound` is at least 1.
  package func integer(below bound: Int) -> Int {
    precondition(bound > 0, "nothing lies below \(bound)")
    let bound = UInt64(bound)
    // Values past the last whole multiple of the bound would make small results likelier.
    let tail = (UInt64.max % bound + 1) % bound
    while true {
      let value = word()
      if value <= UInt64.max - tail { return Int(value % bound) }
    }
  }

  /// An even choice from `0..<1`, in steps of 2⁻⁵³.
  package func unit() -> Double {
    Double(word() >> 11) * 0x1p-53
  }

  private func word() -> UInt64 {
    bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension RandomNumberGenerator {
  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      var word: UInt64 = next()
      for _ in 0..<min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    return bytes
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, even, and the same on every machine.
private final class SeededGenerator: Sendable {
  private struct Sequence: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }

  /// A number far from those of its neighbours: generators that begin a few steps of the sequence apart
  /// would draw the same words.
  static func scrambled(_ number: UInt64) -> UInt64 {
    var sequence = Sequence(state: number)
    return sequence.next()
  }

  private let sequence: Locked<Sequence>

  init(seed: UInt64) {
    sequence = Locked(Sequence(state: seed))
  }

  func bytes(_ count: Int) -> [UInt8] {
    sequence.withLock { $0.bytes(count) }
  }
}
