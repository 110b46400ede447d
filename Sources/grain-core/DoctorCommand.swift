import Foundation
import GrainCore
import StrictJSON

/// `grain-core doctor`: what this machine offers and how the store is, with what to do.
struct DoctorCommand {
  private let options: CommandLineArguments.DoctorOptions

  init(_ options: CommandLineArguments.DoctorOptions) {
    self.options = options
  }

  func run() async -> ExitCode {
    CrashPolicy.apply()
    let setup: Setup
    do throws(SetupError) {
      setup = try Setup(options.core)
    } catch {
      GrainCoreProgram.complain("grain-core: \(error.message)\n")
      return .usage
    }
    let doctor = Doctor(
      dataFolder: setup.dataFolder, configuration: setup.file, doors: Core.Doors(keys: setup.keys))
    do throws(Doctor.Refusal) {
      switch options.remedy {
      case nil: return show(await doctor.examine())
      case .rewrap(let place):
        say(try await doctor.rewrap(to: place), json: ["key": .string(place)])
      case .setAside:
        let moves = try await doctor.setAside(at: Date())
        say(
          moves.map { "\($0.from)\n  is now \($0.to)\n" }.joined()
            + "Nothing was deleted. The next start begins with an empty store; to bring the old one "
            + "back, move these back.",
          json: [
            "moved": .array(moves.map { ["from": .string($0.from), "to": .string($0.to)] })
          ])
      }
      return .done
    } catch {
      GrainCoreProgram.complain("grain-core doctor: \(error.message)\n")
      return .failed
    }
  }

  private func say(_ text: String, json: JSONValue) {
    print(options.json ? json.text() : text)
  }

  private func show(_ findings: [Finding]) -> ExitCode {
    let isHealthy = findings.allSatisfy(\.sound)
    if options.json {
      print(
        JSONValue.object([
          "healthy": .bool(isHealthy), "findings": .array(findings.map(Self.json)),
        ]).text())
    } else {
      for finding in findings {
        let name = Self.names[finding.subject] ?? finding.subject.rawValue
        print("\(finding.sound ? "ok   " : "MEND ") \(Self.padded(name)) \(finding.text)")
        if let advice = finding.advice { print("      \(Self.padded("")) \(advice)") }
      }
    }
    return isHealthy ? .done : .failed
  }

  private static func json(_ finding: Finding) -> JSONValue {
    var object: JSONObject = [
      "subject": .string(finding.subject.rawValue), "sound": .bool(finding.sound),
      "text": .string(finding.text),
    ]
    if let advice = finding.advice { object["advice"] = .string(advice) }
    object["facts"] = .object(
      JSONObject(finding.facts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    return .object(object)
  }

  private static let names: [Finding.Subject: String] = [
    .dataFolder: "data folder", .store: "account store", .key: "key", .imageTool: "image tool",
    .trustStore: "trust store", .resolvers: "resolvers",
  ]

  private static func padded(_ text: String) -> String {
    text.padding(toLength: 14, withPad: " ", startingAt: 0)
  }
}
