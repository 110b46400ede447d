import Foundation
import SystemClients
import Transcripts

/// The program: runs transcripts against a core (bridge-protocol §13).
@main
enum GrainScriptProgram {
  static func main() async {
    ignoreWriteSignals()
    let command: ScriptArguments.Command
    do throws(ScriptArguments.UsageError) {
      command = try ScriptArguments.read(ProgramArguments.own)
    } catch {
      complain("grain-script: \(error.message)\nType grain-script --help for what there is.\n")
      exit(64)
    }
    switch command {
    case .help: print(ScriptArguments.usage)
    case .version: print("grain-script \(ScriptArguments.version)")
    case .run(let run): exit(await self.run(run) ? 0 : 1)
    }
  }

  /// Runs every file, one after the other; all of them, whatever happens to one.
  private static func run(_ run: ScriptArguments.Run) async -> Bool {
    var options = TranscriptRunner.Options(
      core: run.core ?? besides("grain-core"), environment: ProcessInfo.processInfo.environment)
    options.updatesGoldens = run.updates
    options.goldensAreSubsets = run.isSubset
    options.patience = run.patience
    options.recordings = run.recordings
    guard FileManager.default.isExecutableFile(atPath: options.core) else {
      complain("grain-script: there is no core at \(options.core); say where with --core PATH\n")
      return false
    }
    var failed = 0
    for file in run.files {
      switch await outcome(file, options) {
      case .passed(let skipped):
        say("ok      \(file)")
        for reason in Set(skipped).sorted() { say("        \(reason)") }
      case .failed(let report):
        failed += 1
        say("FAILED  \(file)\n\(report)")
      }
    }
    say("\(run.files.count) transcripts, \(failed) failed")
    return failed == 0
  }

  private static func outcome(
    _ file: String, _ options: TranscriptRunner.Options
  ) async -> TranscriptOutcome {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      return .failed("\(file) cannot be read")
    }
    do throws(TranscriptFault) {
      return await TranscriptRunner(try Transcript(Array(bytes), path: file), options).run()
    } catch {
      return .failed("\(error)")
    }
  }

  /// A line at once, also into a pipe.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static func besides(_ name: String) -> String {
    // Without /proc there is no path to look beside; the error then says what to type.
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: own ?? "/").deletingLastPathComponent().appending(path: name).path
  }

  private static func complain(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
