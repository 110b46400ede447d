import Foundation
import GrainCore
import SystemClients

/// The program: reads the command line and runs what it asks for.
@main
enum GrainCoreProgram {
  static func main() async {
    // A closed pipe or a full file limit is an error to handle, never the end of the process.
    ignoreWriteSignals()
    let command: CommandLineArguments.Command
    do throws(CommandLineArguments.UsageError) {
      command = try CommandLineArguments(ProgramArguments.own).command
    } catch {
      complain("grain-core: \(error.message)\nType grain-core --help for what there is.\n")
      ExitCode.usage.leave()
    }
    switch command {
    case .help:
      print(Usage.text)
      ExitCode.done.leave()
    case .version:
      print("grain-core \(CoreVersion.text)")
      ExitCode.done.leave()
    case .stdio(let options): await StdioCommand(options).run().leave()
    case .demo(let options): await DemoCommand(options).run().leave()
    case .sandbox(let options): await SandboxCommand(options).run().leave()
    case .doctor(let options): await DoctorCommand(options).run().leave()
    case .deliver(let options): DeliverCommand(options).run().leave()
    case .schemas(let folder): writeSchemas(to: folder).leave()
    }
  }

  private static func writeSchemas(to folder: String) -> ExitCode {
    do {
      let count = try SchemaFiles.write(to: URL(filePath: folder, directoryHint: .isDirectory))
      print("wrote \(count) files")
      return .done
    } catch {
      complain("grain-core: the schemas cannot be written: \(error.localizedDescription)\n")
      return .failed
    }
  }

  /// Words for whoever started the program, on standard error.
  static func complain(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
