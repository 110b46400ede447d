import Foundation
import SystemClients

/// `deltachat-rpc-server`, a headless core of the same kind: JSON-RPC over standard input and output,
/// several accounts in SQLite.
enum PeerProgram {
  /// Where it is.
  enum Place: Sendable {
    case found(path: String)
    /// Why not, and how to get it.
    case missing(String)
  }

  /// Looks where it was said to be, else in `PATH` and in `.venv/bin`.
  static func find(_ told: String?) -> Place {
    let places = [told, told == nil ? ProgramRunner.live.find("deltachat-rpc-server") : nil]
    let local = told == nil ? [".venv/bin/deltachat-rpc-server"] : []
    for place in places.compactMap(\.self) + local {
      let path = URL(filePath: place).absoluteURL.standardizedFileURL.path
      if FileManager.default.isExecutableFile(atPath: path) {
        return .found(path: program(behind: path))
      }
    }
    let wanted = told ?? "deltachat-rpc-server, in PATH or .venv/bin,"
    return .missing(
      "\(wanted) is not there; pip install deltachat-rpc-server, or give --peer PATH")
  }

  /// PyPI's package puts a Python script in front of the program; it must not be measured with it.
  private static func program(behind path: String) -> String {
    guard let head = FileHandle(forReadingAtPath: path)?.readData(ofLength: 2),
      head == Data("#!".utf8)
    else { return path }
    let root = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "lib")
    // Without such a folder the script itself is measured, which is slower to start and else the same.
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    for version in versions.sorted() where version.hasPrefix("python") {
      let place = "\(version)/site-packages/deltachat_rpc_server/deltachat-rpc-server"
      let program = root.appending(path: place).path
      if FileManager.default.isExecutableFile(atPath: program) { return program }
    }
    return path
  }

  /// The cheapest request it answers, from memory.
  static let cheapest = "get_selected_account_id"

  /// Starts it on a folder of its own.
  static func start(_ path: String, accounts folder: String, _ bench: Bench) throws -> LineTalk {
    LineTalk(
      try ChildProgram(
        path, [],
        environment: bench.environment(["DC_ACCOUNTS_PATH": folder, "RUST_LOG": "error"])))
  }

  /// A folder with so many accounts.
  static func fill(_ path: String, accounts count: Int, _ bench: Bench) throws -> String {
    let folder = bench.path("peer-\(count)")
    if FileManager.default.fileExists(atPath: folder) { return folder }
    let talk = try start(path, accounts: folder, bench)
    for number in 1...count {
      try talk.send(RequestLine.positional(number, "add_account"))
      _ = try talk.line()
    }
    try talk.finish()
    return folder
  }
}
