import Foundation
import SystemClients

/// An OAuth client for atproto from PyPI, which `bridge/check/outside_sign_in.py` lets sign in to the
/// sandbox and count its requests.
enum OutsideClient {
  private static let script = "bridge/check/outside_sign_in.py"
  private static let python = ".venv/bin/python"

  /// How many requests its cold sign-in costs, or why it could not be asked.
  static func requests(_ bench: Bench) async -> Comparison.Outcome {
    for file in [python, script] where !FileManager.default.fileExists(atPath: file) {
      return .missing(
        "\(file) is not there; in the project's folder: python3 -m venv .venv && "
          + ".venv/bin/pip install -r bridge/check/requirements.txt")
    }
    let result: ProgramResult
    do {
      let folder = FileManager.default.currentDirectoryPath
      result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: "\(folder)/\(python)", arguments: [script, bench.core],
          environment: bench.environment(), workingFolder: folder, timeLimit: .seconds(120)))
    } catch {
      return .missing("\(script) did not run: \(error)")
    }
    let words = String(decoding: result.output + result.errorOutput, as: UTF8.self)
    // `outside client: signed in with 10 requests, …`
    guard let count = words.firstMatch(of: /signed in with ([0-9]+) requests/),
      let requests = Double(count.1)
    else { return .missing(words.split(separator: "\n").last.map(String.init) ?? script) }
    return .measured(Samples([requests]))
  }
}
