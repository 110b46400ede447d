import Foundation
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite("Drills of the store with the real thing", .serialized)
struct StoreDrillTests {
  @Test(
    "a disk that is full at the very first start is said to be full; with room the start succeeds",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func fullAtFirst() async throws {
    let folder = try TemporaryFolder()
    let run = try await MountNamespace.rerun(
      "FirstStartOnFullDisk", at: folder.path, mounting: MountNamespace.smallDisk(kibibytes: 1024))
    #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
  }

  @Test(
    "a store that is there already, on a read-only disk, is said to be unwritable and stays as it is",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func readOnlyStore() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let alice = try await first.shell.signIn()
      try await first.end()
      let before = try Self.contents(of: world.dataFolder)
      #expect(before.keys.contains("core.sqlite"))

      let run = try await MountNamespace.rerun(
        "StoreOnReadOnlyDisk", at: world.folder.path, mounting: MountNamespace.readOnly)
      #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
      #expect(try Self.contents(of: world.dataFolder) == before)

      let again = try await world.core()
      let accounts = try await again.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["active"]?.stringValue == alice)
      try await again.end()
    }
  }

  @Test(
    "a core that crashes leaves no picture of its memory behind, however much the system allows",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    arguments: [SIGSEGV, SIGBUS])
  func noCoreDump(_ signal: Int32) async throws {
    let folder = try TemporaryFolder()
    // Whether this machine would write one at all.
    let other = folder.path("other")
    try FileManager.default.createDirectory(
      atPath: other, withIntermediateDirectories: false)
    let sleeper = try Self.unlimited("/bin/sleep", ["100"], in: other, home: folder.path)
    try await Self.running("/bin/sleep", sleeper)
    sleeper.send(signal)
    #expect(try await sleeper.status() == -signal)
    guard try !Self.dumps(in: other).isEmpty else {
      print("this machine writes no core files to the working folder: nothing to prove")
      return
    }

    let place = folder.path("place")
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false)
    let core = try Self.unlimited(
      BuiltProgram.path, ["--stdio", "--data-dir", folder.path("data")], in: place,
      home: folder.path)
    let nowhere = HTTPClient { _, _ throws(HTTPError) in throw .offline }
    let shell = await Shell(
      input: core.output, output: core.input, browser: Browser(http: nowhere))
    try await shell.initialize()
    core.send(signal)
    // It had a last word, and ended with the status for it.
    #expect(try await core.status() == 70)
    #expect(try Self.dumps(in: place) == [])
    #expect(try Self.dumps(in: folder.path("data")) == [])
    try await shell.hangUp()
  }

  @Test("while a session runs, no token and no key lies open in any file of the store (FB-A34)")
  func secretsDuringSession() async throws {
    try await World.run { (world) async throws -> Void in
      try await world.expireUnannounced()
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn("alice.test")
      try await shell.signIn("bob.test")
      world.network.clockOffset += 120
      let draft = try await shell.draft(try world.samplePhotos())
      #expect(try await shell.publish(draft).description == "succeeded")
      // Rotated at least once, so the log holds older and newer rows.
      #expect(world.count("POST", Path.token, status: 200) >= 3)

      var haystack = Haystack()
      try haystack.add(folder: world.dataFolder)
      let key = try await SecretsTests.storedKey(of: world.did("bob.test"), in: world.dataFolder)
      haystack.expectNone(of: [.init("a minted secret", Canary.marker)] + key)
      // They are looked for where they would be: the rows of this session are in the log still.
      #expect(haystack.places(with: "bob.test".utf8).contains("core.sqlite-wal"))
      try await core.end()
    }
  }

  /// Starts a program in a folder, with core files of any size allowed.
  private static func unlimited(
    _ program: String, _ arguments: [String], in folder: String, home: String
  ) throws -> ChildProgram {
    try ChildProgram(
      "/bin/sh",
      ["-c", #"ulimit -c unlimited; cd "$0" && exec "$@""#, folder, program] + arguments,
      environment: BuiltProgram.environment(home: home))
  }

  /// Waits until a process has become the program it was started for.
  private static func running(_ program: String, _ child: ChildProgram) async throws {
    try await within("\(program) to run") {
      let link = "/proc/\(child.processID)/exe"
      let wanted = URL(filePath: program).resolvingSymlinksInPath().path
      while try FileManager.default.destinationOfSymbolicLink(atPath: link) != wanted {
        await Task.yield()
      }
    }
  }

  private static func dumps(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasPrefix("core")
        && !$0.hasPrefix("core.sqlite")
    }
  }

  /// Every file below a folder, by name.
  static func contents(of folder: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [] {
      var isFolder: ObjCBool = false
      let path = "\(folder)/\(name)"
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
        contents[name] = try Data(contentsOf: URL(filePath: path))
      }
    }
    return contents
  }
}

@Suite(
  "A first start on a full disk", .serialized,
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct FirstStartOnFullDisk {
  @Test("full: initialize is refused as store.full and no half-made store stays in the way")
  func full() async throws {
    let disk = try #require(MountNamespace.folder)
    try await World.run { (world) async throws -> Void in
      let filler = "\(disk)/filler"
      try Data().write(to: URL(filePath: filler))
      let handle = try #require(FileHandle(forWritingAtPath: filler))
      for size in [65_536, 4096, 512, 16, 1] {
        while (try? handle.write(contentsOf: Data(count: size))) != nil {}  // fails when full
      }
      try handle.close()
      let core = try await world.silentCore(dataFolder: "\(disk)/data")
      let refusal = try await core.shell.refusal("initialize", Shell.hello())
      #expect(refusal.kind == "store.full")
      #expect(refusal.isWorded, "\(refusal.words)")

      try FileManager.default.removeItem(atPath: filler)
      try await core.shell.initialize()
      try await core.shell.signIn()
      try await core.end()
      // What was begun on the full disk has not become another store, or another key.
      let again = try await world.core(dataFolder: "\(disk)/data")
      try await again.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      try await again.end()
    }
  }
}

@Suite(
  "A store on a read-only disk", .serialized,
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct StoreOnReadOnlyDisk {
  @Test("read-only: initialize is refused as store.unwritable, again and again")
  func readOnly() async throws {
    let disk = try #require(MountNamespace.folder)
    try await World.run { (world) async throws -> Void in
      let core = try await world.silentCore(dataFolder: "\(disk)/data")
      for _ in 1...2 {
        let refusal = try await core.shell.refusal("initialize", Shell.hello())
        #expect(refusal.kind == "store.unwritable")
        #expect(refusal.isWorded, "\(refusal.words)")
      }
      try await core.abandon()
    }
  }
}
