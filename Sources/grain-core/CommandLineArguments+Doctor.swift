extension CommandLineArguments {
  /// `grain-core doctor`.
  struct DoctorOptions: Equatable {
    /// Where the core to be looked at works, and with what.
    var core = StdioOptions()
    var json = false
    var remedy: Remedy?
  }

  /// What a doctor may be told to change.
  enum Remedy: Equatable {
    case rewrap(to: String)
    case setAside
  }

  private static let places = ["keyring", "file", "command"]

  static func doctor(_ reader: inout WordReader) throws(UsageError) -> Command {
    var options = DoctorOptions()
    while let word = reader.next() {
      switch word {
      case "--json": options.json = true
      case "--profile": options.core.profile = try reader.profile(of: word)
      case "--config": options.core.configuration = try reader.value(of: word)
      case "--data-dir": options.core.dataFolder = try reader.value(of: word)
      case "--key-command": options.core.keyCommand = try reader.value(of: word)
      case "--set-aside-store":
        guard options.remedy == nil else { throw Self.oneRemedy }
        options.remedy = .setAside
      case "--rewrap":
        let place = try reader.value(of: word)
        guard options.remedy == nil else { throw Self.oneRemedy }
        guard places.contains(place) else {
          throw UsageError(
            message: "\(quoted(place)) is no place for a key; use keyring, file or command")
        }
        options.remedy = .rewrap(to: place)
      case "--help", "-h": return .help
      case "--version": return .version
      default: throw reader.unknown(word)
      }
    }
    if options.remedy == .rewrap(to: "command"), options.core.keyCommand == nil {
      throw UsageError(message: "--rewrap command needs --key-command CMD")
    }
    guard options.core.profile != .test else {
      throw UsageError(message: "--profile test keeps nothing to examine; use prod or sandbox")
    }
    return .doctor(options)
  }

  private static let oneRemedy = UsageError(
    message: "--rewrap and --set-aside-store are two things; do one after the other")
}
