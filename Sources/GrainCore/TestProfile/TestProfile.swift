import Foundation
package import GrainBridge
import OpenSSLCrypto
import SystemClients

/// `--profile test`: a clock that is told what time it is, ids from a seed, and faults on request
/// (bridge-protocol §13).
///
/// Time and the names of things are the same in every run of a script. Secrets are not: keys,
/// verifiers and states are drawn as always.
package final class TestProfile: Sendable {
  /// The time of the core and of its network.
  package let clock: VirtualClock
  private let seed: UInt64
  private let faults = TestFaults()
  private let clockFile: String?

  /// - Parameters:
  ///   - seed: of every id.
  ///   - clockFile: keeps the time for the next start on the same data; without one, every start is
  ///     the beginning.
  package init(seed: UInt64, clockFile: String?) {
    self.seed = seed
    self.clockFile = clockFile
    clock = VirtualClock(elapsed: Self.remembered(clockFile))
  }

  /// Exchanges the doors that decide what a run looks like.
  package func equip(_ doors: inout Core.Doors) {
    doors.clock = clock.clock
    // How long a peer may take stays real, or a silent one would stop everything.
    doors.patience = SystemClock(now: clock.clock.now, sleep: SystemClock.live.sleep)
    doors.ids = .seeded(seed)
    doors.around = { [faults, clock] in faults.network($0, clock.clock) }
  }

  /// Adds the digests and the methods that only this profile has.
  package func equip(_ options: inout BridgeOptions) {
    options.digest = { StateDigest.hex($0) }
    options.recordsPrivate = true
    options.test = BridgeOptions.TestMethods(
      advance: { [self] in
        await clock.advance(by: $0)
        remember()
        return ISO8601Milliseconds.text(clock.now)
      },
      fault: { [faults] in faults.set($0, $1, delay: $2) })
  }

  private static func remembered(_ file: String?) -> Duration {
    // No file, or one nobody wrote: the beginning.
    guard let file, let bytes = try? PrivateFiles.read(file, limit: 32),
      let milliseconds = Int(String(decoding: bytes, as: UTF8.self))
    else { return .zero }
    return .milliseconds(milliseconds)
  }

  private func remember() {
    guard let clockFile else { return }
    let milliseconds = Int(clock.elapsed / .milliseconds(1))
    // On a disk that is full on purpose the next start begins a little earlier, no more.
    try? PrivateFiles.write(Array("\(milliseconds)".utf8), to: clockFile)
  }
}

/// The digest by which a shell checks its merging: SHA-256 of the applied state.
enum StateDigest {
  /// 64 hexadecimal digits, lower case.
  static func hex(_ state: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: Digest.sha256(state).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self)
  }
}

/// A time as the protocol writes it (§9).
enum ISO8601Milliseconds {
  /// RFC 3339, UTC, with milliseconds.
  static func text(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
