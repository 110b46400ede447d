import Foundation
import SystemClients

/// An OAuth client for atproto from PyPI, which `bridge/check/outside_sign_in.py` lets sign in to the
/// sandbox and count its requests.
enum OutsideClient {
  private static let script = "bridge/check/outside_sign_in.py"
  private static let python = ".venv/bin/python"

  /// What its cold sign-in costs.
  struct Cost {
    /// Sent from the handle to the stored account.
    let requests: Comparison.Outcome
    /// From the handle to the stored account, in milliseconds.
    let time: Comparison.Outcome

    fileprivate init(requests: Double, milliseconds: Double) {
      self.requests = .measured(Samples([requests]))
      time = .measured(Samples([milliseconds]))
    }

    fileprivate init(missing reason: String) {
      requests = .missing(reason)
      time = .missing(reason)
    }
  }

  /// Lets it sign in once; says why where it could not be asked.
  static func signIn(_ bench: Bench) async -> Cost {
    for file in [python, script] where !FileManager.default.fileExists(atPath: file) {
      return Cost(
        missing: "\(file) is not there; in the project's folder: python3 -m venv .venv && "
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
      return Cost(missing: "\(script) did not run: \(error)")
    }
    let words = String(decoding: result.output + result.errorOutput, as: UTF8.self)
    // `outside client: signed in with 10 requests in 345 ms, …`
    guard let cost = words.firstMatch(of: /signed in with ([0-9]+) requests in ([0-9]+) ms/),
      let requests = Double(cost.1), let milliseconds = Double(cost.2)
    else { return Cost(missing: words.split(separator: "\n").last.map(String.init) ?? script) }
    return Cost(requests: requests, milliseconds: milliseconds)
  }
}
