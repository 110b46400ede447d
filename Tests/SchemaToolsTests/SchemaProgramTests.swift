import Foundation
import GrainTestSupport
import StrictJSON
import SystemClients
import Testing

@testable import SchemaTools

@Suite("grain-schema, as it is called")
struct SchemaProgramTests {
  private let program = SchemaProgram(
    programs: .live, environment: ProcessInfo.processInfo.environment)

  @Test(
    "bad usage ends with 64 and says what to type",
    arguments: [
      ([], "say what to do"), (["fly"], "there is no command"), (["lint", "--deep"], "“--deep”"),
      (["check"], "--base REVISION"), (["check", "--base"], "needs a value"),
      (["lint", "--base", "main"], "“--base”"), (["generate", "now"], "“now”"),
      (["generate", "--check=yes"], "“--check=yes”"),
    ])
  func usage(words: [String], reason: String) async {
    let outcome = await program.run(words)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains(reason), "\(outcome.complaint)")
    #expect(outcome.complaint.contains("--help"))
  }

  @Test("help and version are there")
  func help() async {
    let help = await program.run(["--help"])
    #expect(help.status == 0 && help.output.contains("grain-schema check --base REVISION"))
    let version = await program.run(["--version"])
    #expect(version.status == 0 && version.output.hasPrefix("grain-schema "))
  }

  @Test("a folder without schemas ends with 66 and names the file")
  func missing() async throws {
    let folder = try TemporaryFolder()
    let outcome = await program.run(["lint", "--repository", folder.path])
    #expect(outcome.status == 66)
    #expect(outcome.complaint == "grain-schema: v1/manifest.json cannot be read\n")
  }

  @Test("a file that is no JSON ends with 66")
  func broken() async throws {
    let folder = try TemporaryFolder()
    try write(Bundles.smallDocuments, to: URL(filePath: folder.path))
    try Data("{".utf8).write(
      to: URL(filePath: folder.path).appending(path: "Schemas/v1/models/lamp.json"))
    let outcome = await program.run(["lint", "--repository=\(folder.path)"])
    #expect(outcome.status == 66)
    #expect(outcome.complaint.contains("v1/models/lamp.json is no JSON"))
  }

  @Test("this repository lints clean, and its generated files are up to date")
  func repository() async {
    let root = SharedData.repositoryRoot.path
    let lint = await program.run(["lint", "--repository", root])
    #expect(lint.status == 0 && lint.output.hasSuffix("schemas: 0 to mend\n"), "\(lint.output)")
    let generate = await program.run(["generate", "--check", "--repository", root])
    #expect(generate.status == 0, "\(generate.output)")
  }

  @Test("check reads the older schemas from the repository, and names each violation")
  func check() async throws {
    guard let git = ProgramRunner.live.find("git") else { return }
    let folder = try TemporaryFolder()
    func run(_ words: String...) async throws {
      let result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: git,
          arguments: ["-C", folder.path, "-c", "user.name=n", "-c", "user.email=e@x"] + words,
          environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path]))
      try #require(result.status == 0, "\(String(decoding: result.errorOutput, as: UTF8.self))")
    }
    var documents = Bundles.smallDocuments
    try write(documents, to: URL(filePath: folder.path))
    try await run("init", "-q")
    try await run("add", ".")
    try await run("commit", "-q", "-m", "one")
    let place = ["--repository", folder.path]
    let same = await program.run(["check", "--base", "HEAD"] + place)
    #expect(same.status == 0, "\(same)")
    let edit = Edit.remove("/$defs/state/properties/name", in: Bundles.model)
    documents[Bundles.model] = edit.apply(to: documents[Bundles.model] ?? [:])
    documents[Bundles.manifest] = Edit.put("/schemaRevision", 2, in: Bundles.manifest)
      .apply(to: documents[Bundles.manifest] ?? [:])
    try write(documents, to: URL(filePath: folder.path))
    let changed = await program.run(["check", "--base", "HEAD"] + place)
    #expect(changed.status == 1)
    #expect(
      changed.output == """
        v1/models/lamp.json#/$defs/state/properties/name (core to shell): was removed; older shells \
        may need it
        compared with HEAD, its sessions not played: no grain-core beside this program: 1 to mend

        """)
    for revision in ["nowhere", "--all", "HEAD:x"] {
      let unknown = await program.run(["check", "--base=\(revision)"] + place)
      #expect(unknown.status == 66, "\(revision): \(unknown)")
    }
  }

  @Test("a session recorded in the older revision that no longer plays is a violation")
  func replay() async throws {
    guard let git = ProgramRunner.live.find("git") else { return }
    let folder = try TemporaryFolder()
    try write(Bundles.smallDocuments, to: URL(filePath: folder.path("repository")))
    let scripts = URL(filePath: folder.path("repository/Schemas/v1/transcripts/golden"))
    try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
    for name in ["../broken.ndjson", "../whole.ndjson", "state.json"] {
      try Data("older".utf8).write(to: scripts.appending(path: name))
    }
    for words in [["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]] {
      let result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: git,
          arguments: ["-C", folder.path("repository"), "-c", "user.name=n", "-c", "user.email=e@x"]
            + words, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path]))
      try #require(result.status == 0)
    }
    // What is there now is not what is played.
    try Data("newer".utf8).write(to: scripts.appending(path: "../broken.ndjson"))
    let runner = """
      #!/bin/sh
      test "$1 $2 $3 $4 $5" = "run --subset --patience 5 --core" || exit 64
      shift 6
      for file; do
        test "$(cat "$file" "$(dirname "$file")/golden/state.json")" = olderolder || exit 66
        case $file in
          *broken*) echo "FAILED  $file"; echo "$file:3: another message came"; failed=1 ;;
          *) echo "ok      $file" ;;
        esac
      done
      exit ${failed:-0}
      """
    try FileManager.default.createDirectory(
      atPath: folder.path("tools"), withIntermediateDirectories: true)
    for (name, text) in [("grain-core", "#!/bin/sh"), ("grain-script", runner)] {
      try await folder.makeProgram("tools/\(name)", text)
    }
    let program = SchemaProgram(
      programs: .live, environment: ProcessInfo.processInfo.environment,
      tools: folder.path("tools"))
    let outcome = await program.run([
      "check", "--base", "HEAD", "--repository", folder.path("repository"),
    ])
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        v1/transcripts/broken.ndjson:3: another message came; an older shell lives by this session
        compared with HEAD, its sessions played: 1 to mend

        """)
  }

  private func write(_ documents: [String: JSONValue], to root: URL) throws {
    for (name, document) in documents {
      let file = root.appending(path: "Schemas/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(document.serialized()).write(to: file)
    }
  }
}
