import Foundation
import GrainServices
import GrainTestSupport
import SystemClients
import Testing

@Suite("What a desktop is told of us")
struct DesktopFileTests {
  private static let validator = "/usr/bin/desktop-file-validate"
  private static let file = SharedData.repositoryRoot
    .appending(path: "bridge/desktop/social.grain.deliver.desktop")

  @Test(
    "the example desktop file is valid",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: validator),
      "\(validator) is not here; it comes with the package desktop-file-utils"))
  func valid() async throws {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: Self.validator, arguments: [Self.file.path], timeLimit: .seconds(30)))
    #expect(result.status == 0)
    #expect(result.output.isEmpty && result.errorOutput.isEmpty)
  }

  @Test("it hands addresses of our redirect's scheme, and no others, to deliver (A9)")
  func scheme() throws {
    let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
    let scheme = try #require(CoreConfiguration().redirectURI.split(separator: ":").first)
    #expect(lines.contains("MimeType=x-scheme-handler/\(scheme);"))
    #expect(lines.contains("Exec=grain-core deliver %u"))
  }
}
