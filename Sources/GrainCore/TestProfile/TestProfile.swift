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
  private let serverFaults = Locked<ServerFaults?>(nil)
  private let clockFile: String?
  /// How often the profile was started on the same data before: ids that were given are not drawn again.
  private let run: UInt64

  /// What goes wrong on purpose at the servers of the profile's network; `false` for an unknown name.
  package typealias ServerFaults = @Sendable (_ name: String, _ isOn: Bool) async -> Bool

  /// Says who can make the servers go wrong.
  package func reach(_ servers: @escaping ServerFaults) {
    serverFaults.withLock { $0 = servers }
  }

  /// - Parameters:
  ///   - seed: of every id.
  ///   - clockFile: keeps the time and the number of starts for the next start on the same data; without
  ///     one, every start is the first.
  package init(seed: UInt64, clockFile: String?) {
    self.seed = seed
    self.clockFile = clockFile
    let before = Self.remembered(clockFile)
    run = before.runs
    clock = VirtualClock(elapsed: .milliseconds(before.milliseconds))
  }

  /// Exchanges the doors that decide what a run looks like.
  package func equip(_ doors: inout Core.Doors) {
    doors.clock = clock.clock
    // How long a peer may take stays real, or a silent one would stop everything.
    doors.patience = SystemClock(now: clock.clock.now, sleep: SystemClock.live.sleep)
    doors.ids = ids
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
      fault: { [faults, serverFaults] name, isOn, delay in
        if faults.set(name, isOn, delay: delay) { return true }
        return await serverFaults.withLock(\.self)?(name, isOn) ?? false
      })
  }

  /// The ids of this run. The first one notes the run: before that there may be no data folder yet.
  private var ids: SystemRandom {
    let seeded = SystemRandom.seeded(seed, run: run)
    let isNoted = Locked(false)
    return SystemRandom { [self] count in
      let isFirst = isNoted.withLock { noted in
        defer { noted = true }
        return !noted
      }
      if isFirst { remember() }
      return seeded.bytes(count)
    }
  }

  private static func remembered(_ file: String?) -> (milliseconds: Int, runs: UInt64) {
    // No file, or one nobody wrote: the beginning.
    guard let file, let bytes = try? PrivateFiles.read(file, limit: 64) else { return (0, 0) }
    let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { UInt64($0) }
    guard numbers.count == 2, let milliseconds = numbers[0], let runs = numbers[1] else {
      return (0, 0)
    }
    return (Int(clamping: milliseconds), runs)
  }

  private func remember() {
    guard let clockFile else { return }
    let milliseconds = Int(clock.elapsed / .milliseconds(1))
    // On a disk that is full on purpose the next start begins a little earlier, no more.
    try? PrivateFiles.write(Array("\(milliseconds) \(run + 1)".utf8), to: clockFile)
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
