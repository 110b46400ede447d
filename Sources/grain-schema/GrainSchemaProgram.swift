import Foundation
import SchemaTools
import SystemClients

/// The program: prints what the room answers.
@main
enum GrainSchemaProgram {
  static func main() async {
    let program = SchemaProgram(
      programs: .live, environment: ProcessInfo.processInfo.environment)
    let outcome = await program.run(ProgramArguments.own)
    FileHandle.standardOutput.write(Data(outcome.output.utf8))
    FileHandle.standardError.write(Data(outcome.complaint.utf8))
    exit(outcome.status)
  }
}
