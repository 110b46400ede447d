import Foundation

/// The words this program was started with.
package enum ProgramArguments {
  /// All words after the program's own name.
  ///
  /// Swift's runtime finds them in front of the environment on the stack, and nowhere once a preloaded
  /// library has changed the environment before `main`; the kernel still knows them then.
  package static var own: [String] {
    let words = CommandLine.arguments.isEmpty ? ofTheKernel() : CommandLine.arguments
    return Array(words.dropFirst())
  }

  private static func ofTheKernel() -> [String] {
    // Without /proc nothing is known, which is where we were.
    guard let bytes = FileManager.default.contents(atPath: "/proc/self/cmdline") else { return [] }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
