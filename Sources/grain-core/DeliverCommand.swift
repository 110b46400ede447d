import Foundation
import GrainCore

/// `grain-core deliver`: hands a callback URL from the desktop's scheme handler to the running core.
///
/// The URL is repeated nowhere: not on either output, not in an argument of anything started here.
struct DeliverCommand {
  private let options: CommandLineArguments.DeliverOptions

  init(_ options: CommandLineArguments.DeliverOptions) {
    self.options = options
  }

  func run() -> ExitCode {
    CrashPolicy.apply()
    let url = options.url == "-" ? Self.input() : options.url
    guard let url, !url.isEmpty else {
      return refuse("there is no address on standard input", .usage)
    }
    guard url.unicodeScalars.count <= Delivery.longestURL else {
      return refuse("that is too long for the answer of a sign-in page", .failed)
    }
    let folder = Setup.dataFolder(options.core)
    switch Delivery.hand(url, to: folder) {
    case .delivered:
      print("The sign-in goes on in the app.")
      return .done
    case .unknown:
      return refuse(
        "no sign-in waits for this address. Nothing was done; start signing in again in the app",
        .failed)
    case .nobody:
      return refuse(
        "no core is running in \(folder), so nobody can take the address. Start the app, then try "
          + "again: a sign-in that was under way goes on", .unavailable)
    case .silent:
      return refuse(
        "the core in \(folder) did not take the address in time. Try again", .unavailable)
    case .foreign:
      return refuse(
        "the core in \(folder) belongs to another user, who was told nothing", .unavailable)
    case .unreachable(let code):
      return refuse(
        "the core in \(folder) cannot be reached (\(String(cString: strerror(code))))",
        .unavailable)
    }
  }

  private func refuse(_ words: String, _ code: ExitCode) -> ExitCode {
    GrainCoreProgram.complain("grain-core deliver: \(words).\n")
    return code
  }

  /// The first line of standard input; `nil` for what cannot be read, or is far too long.
  private static func input() -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= Delivery.longestURL * 4 {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return String(validating: line, as: UTF8.self)
  }
}
