import Foundation

/// What the system says about a running process.
struct ProcessFacts {
  let processID: pid_t

  /// Memory in use now, pages of files and libraries included, in MiB (`VmRSS`).
  func resident() throws -> Double { try memory("VmRSS:") }

  /// The most there ever was, in MiB (`VmHWM`).
  func mostResident() throws -> Double { try memory("VmHWM:") }

  /// Seconds of processor time it has used so far, all threads.
  func processorSeconds() throws -> Double {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw BenchError("process \(processID) has no clock")
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// Waits until the process has used no processor time for half a second.
  ///
  /// - Throws: when it does not come to rest within twenty seconds.
  func waitForRest() async throws {
    var last = try ticks()
    var quiet = 0
    for _ in 0..<200 {
      try await Task.sleep(for: .milliseconds(100))
      let now = try ticks()
      quiet = now == last ? quiet + 1 : 0
      last = now
      if quiet == 5 { return }
    }
    throw BenchError("process \(processID) does not come to rest")
  }

  private func memory(_ name: String) throws -> Double {
    let line = try text("status").split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    guard let kibibytes = Double(line.filter(\.isNumber)) else {
      throw BenchError("/proc/\(processID)/status has no \(name)")
    }
    return kibibytes / 1024
  }

  /// Processor time used so far, in clock ticks.
  private func ticks() throws -> Int {
    // The name of the program, in parentheses, may hold blanks.
    let fields = try text("stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
      throw BenchError("/proc/\(processID)/stat cannot be read")
    }
    return user + system
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "/proc/\(processID)/\(name)", encoding: .utf8)
  }
}
