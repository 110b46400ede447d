extension CommandLineArguments {
  /// `grain-core deliver`.
  struct DeliverOptions: Equatable {
    /// Where the core that takes the callback works.
    var core = StdioOptions()
    /// The callback URL; `-` for the one on standard input.
    var url = ""
  }

  static func deliver(_ reader: inout WordReader) throws(UsageError) -> Command {
    var options = DeliverOptions()
    while let word = reader.nextWhole() {
      switch word {
      case .option("--profile"): options.core.profile = try reader.profile(of: "--profile")
      case .option("--data-dir"): options.core.dataFolder = try reader.value(of: "--data-dir")
      case .option("--help"), .text("-h"): return .help
      case .option("--version"): return .version
      // What was typed may be a callback: it is not repeated.
      case .option: throw UsageError(message: "an option of deliver is not known; see --help")
      case .text(let text):
        guard options.url.isEmpty, !text.isEmpty else {
          throw UsageError(message: "deliver takes one address, or - to read it from its input")
        }
        options.url = text
      }
    }
    guard !options.url.isEmpty else {
      throw UsageError(message: "deliver needs the address, or - to read it from its input")
    }
    guard options.core.profile != .test || options.core.dataFolder != nil else {
      throw UsageError(message: "a core of the test profile is reached by its --data-dir")
    }
    return .deliver(options)
  }
}
