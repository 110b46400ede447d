import Foundation
package import SystemClients

/// `grain-schema`, as far as it is not about standard output.
package struct SchemaProgram: Sendable {
  /// What came of a command.
  package struct Outcome: Equatable, Sendable {
    /// The exit status (sysexits(3)).
    package var status: Int32
    /// For standard output, with its line end.
    package var output = ""
    /// For standard error, with its line end.
    package var complaint = ""
  }

  private let programs: ProgramRunner
  private let environment: [String: String]
  private let tools: String?
  private static let version = "0.1.0"

  /// The program.
  ///
  /// - Parameters:
  ///   - programs: runs `git`.
  ///   - environment: what `git` is given.
  ///   - tools: the folder with the core and the runner of scripts; without them no session is played.
  package init(programs: ProgramRunner, environment: [String: String], tools: String? = nil) {
    self.programs = programs
    self.environment = environment
    self.tools = tools
  }

  /// Does what the words after the program's name ask for.
  package func run(_ words: [String]) async -> Outcome {
    let request: SchemaRequest
    do throws(SchemaRequest.UsageError) {
      request = try SchemaRequest(words)
    } catch {
      return Outcome(
        status: 64,
        complaint: "grain-schema: \(error.message)\nType grain-schema --help for what there is.\n")
    }
    do {
      return try await run(request)
    } catch let error as SchemaTreeError {
      return Outcome(status: 66, complaint: "grain-schema: \(error.message)\n")
    } catch let error as BaseTreeError {
      return Outcome(status: 66, complaint: "grain-schema: \(error.message)\n")
    } catch {
      return Outcome(status: 66, complaint: "grain-schema: \(error.localizedDescription)\n")
    }
  }

  private func run(_ request: SchemaRequest) async throws -> Outcome {
    let root = URL(filePath: request.repository, directoryHint: .isDirectory)
    let schemas = root.appending(path: "Schemas")
    func tree() throws -> SchemaTree { try SchemaTree(folder: schemas) }
    switch request.command {
    case .help: return Outcome(status: 0, output: SchemaRequest.help + "\n")
    case .version: return Outcome(status: 0, output: "grain-schema \(Self.version)\n")
    case .lint:
      let tree = try tree()
      return Self.outcome(SchemaLinter(tree).findings(), "\(tree.schemas.count) schemas")
    case .generate(isCheck: true):
      let differences = GeneratedFiles.differences(try tree(), in: root)
      let advice = differences.isEmpty ? [] : ["run grain-schema generate"]
      return Self.outcome(differences, (["generated files"] + advice).joined(separator: ", "))
    case .generate(isCheck: false):
      let written = try GeneratedFiles.write(try tree(), to: root)
      let text = written.map { "wrote \($0)\n" }.joined()
      return Outcome(status: 0, output: text.isEmpty ? "everything is up to date\n" : text)
    case .check(let base):
      let git = BaseTree(programs: programs, environment: environment, schemas: schemas.path)
      let check = CompatibilityCheck(base: try await git.read(base), head: try tree())
      let found = check.violations()
      let replay = tools.map {
        GoldenReplay(programs: programs, environment: environment, tools: $0)
      }
      guard let replay, replay.isPossible else {
        return Self.outcome(
          found, "compared with \(base), its sessions not played: no grain-core beside this program"
        )
      }
      let sessions = try await git.transcripts(base)
      return Self.outcome(
        found + (try await replay.violations(sessions)),
        "compared with \(base), its sessions played")
    }
  }

  private static func outcome(_ findings: [String], _ subject: String) -> Outcome {
    let lines = findings + ["\(subject): \(findings.count) to mend"]
    return Outcome(
      status: findings.isEmpty ? 0 : 1, output: lines.joined(separator: "\n") + "\n")
  }
}
