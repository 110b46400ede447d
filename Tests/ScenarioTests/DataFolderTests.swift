import Foundation
import GrainTestSupport
import Sandbox
import StrictJSON
import Testing

@Suite("The data folder", .serialized)
struct DataFolderTests {
  @Test("a second core is refused by name of the first, and works once that is gone (FB-E2)")
  func locked() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let did = try await first.shell.signIn()
      let second = try await world.silentCore()
      let refusal = try await second.shell.refusal("initialize", Shell.hello())
      #expect(refusal.kind == "store.locked")
      #expect(refusal.code == 5001)
      #expect(refusal.isWorded, "\(refusal.words)")
      let details = second.shell.lastError?["data"]?["details"]
      #expect(
        details?["processId"]?.intValue == Int(ProcessInfo.processInfo.processIdentifier))
      // Nothing else is possible yet; the first one does not notice any of it.
      #expect(try await second.shell.refusal("login.start").kind == "protocol.notInitialized")
      #expect(try await first.shell.read("accounts")["active"]?.stringValue == did)
      try await first.end()

      try await second.shell.initialize()
      let accounts = try await second.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["active"]?.stringValue == did)
      try await second.end()
    }
  }

  @Test("a folder that cannot be made is reported; made possible, the same core goes on")
  func impossible() async throws {
    try await World.run { (world) async throws -> Void in
      let obstacle = try world.file("obstacle", [1, 2, 3])
      let core = try await world.silentCore(dataFolder: "\(obstacle)/data")
      let refusal = try await core.shell.refusal("initialize", Shell.hello())
      #expect(refusal.kind == "store.unwritable")
      #expect(refusal.isWorded, "\(refusal.words)")
      #expect(try Data(contentsOf: URL(filePath: obstacle)) == Data([1, 2, 3]))
      try FileManager.default.removeItem(atPath: obstacle)
      try await core.shell.initialize()
      try await core.shell.signIn()
      try await core.end()
    }
  }

  @Test(
    "a damaged store is reported and left exactly as it is (FB-E3)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func damaged() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      try await first.end()
      let path = "\(world.dataFolder)/core.sqlite"
      for side in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + side) {
        try FileManager.default.removeItem(atPath: path + side)
      }
      let damage = Data("no database, but long enough to be looked at".utf8)
      try damage.write(to: URL(filePath: path))
      let second = try await world.silentProcess()
      let refusal = try await second.shell.refusal("initialize", Shell.hello())
      #expect(refusal.kind == "store.corrupt")
      #expect(refusal.isWorded, "\(refusal.words)")
      try await second.shell.hangUp()
      #expect(try await second.program.status() == 0)
      #expect(try Data(contentsOf: URL(filePath: path)) == damage)
    }
  }

  @Test(
    "a store whose key is missing is not given another one, and opens when it is back (FB-E3)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func missingKey() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      let did = try await first.shell.signIn()
      try await first.end()
      let key = "\(world.dataFolder)/vault.key"
      let elsewhere = world.folder.path("vault.key")
      try FileManager.default.moveItem(atPath: key, toPath: elsewhere)
      let second = try await world.process()
      let waiting = try await second.shell.read("accounts")
      #expect(waiting["session"] == "restoring")
      let reason = try #require(waiting["problem"].map(Trouble.init))
      #expect(reason.kind == "keyring.unavailable")
      #expect(reason.isWorded, "\(reason.words)")
      #expect(!FileManager.default.fileExists(atPath: key))
      try FileManager.default.moveItem(atPath: elsewhere, toPath: key)
      let accounts = try await second.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["active"]?.stringValue == did)
      try await second.end()
    }
  }

  @Test("folder and files are the owner's alone, and loose modes are repaired (FB-E5)")
  func modes() async throws {
    try await World.run { (world) async throws -> Void in
      try FileManager.default.createDirectory(
        atPath: world.dataFolder, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o777])
      let core = try await world.core()
      try await core.shell.signIn()
      _ = try await core.shell.draft(try world.samplePhotos())
      var loose: [String] = []
      let root = URL(filePath: world.dataFolder)
      let names = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
      #expect(names.count >= 8)
      for name in [""] + names {
        let path = root.appending(path: name).path
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        let mode = (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0
        if mode & 0o077 != 0 { loose.append("\(name) \(String(mode, radix: 8))") }
      }
      #expect(loose == [])
      try await core.end()
    }
  }

  @Test(
    "a full disk is said to be full, loses nothing, and is forgotten once there is room",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func fullDisk() async throws {
    let folder = try TemporaryFolder()
    let run = try await MountNamespace.rerun(
      "CoreOnSmallDisk", at: folder.path, mounting: MountNamespace.smallDisk(kibibytes: 2048))
    #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
  }

  @Test(
    "a read-only folder is said to be unwritable, and is not changed",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func readOnly() async throws {
    let folder = try TemporaryFolder()
    let run = try await MountNamespace.rerun(
      "CoreOnReadOnlyDisk", at: folder.path, mounting: MountNamespace.readOnly)
    #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
  }
}

@Suite(
  "A core on a small disk", .serialized,
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct CoreOnSmallDisk {
  @Test("full: sign-in and photographs are refused as store.full; with room both work")
  func full() async throws {
    let disk = try #require(MountNamespace.folder)
    try await World.run { (world) async throws -> Void in
      let core = try await world.core(dataFolder: "\(disk)/data")
      let shell = core.shell
      try await shell.signIn("alice.test")
      let draft = try await shell.emptyDraft()
      let photos = try world.samplePhotos()
      let filler = "\(disk)/filler"

      // Room for the list of photographs, but not for the pictures.
      try Self.fill(filler, leaving: 131_072)
      let adding = try await shell.add(photos, to: draft)
      #expect(adding.description == "failed store.full")
      #expect(adding.problem?.isWorded == true)
      try Self.fill(filler)
      shell.browser.approve("bob.test")
      world.network.log.clear()
      let signIn = try await shell.trySignIn("bob.test")
      #expect(signIn.description == "failed store.full")
      // What could not be stored was given back.
      #expect(world.count("POST", Path.revocation, status: 200) == 1)
      let accounts = try await shell.read("accounts")
      #expect(accounts["accountOrder"]?.arrayValue?.count == 1)
      #expect(accounts["session"] == "signedIn")
      let edit = try await shell.refusal(
        "gallery.setDetails",
        ["draft": .string(draft), "description": .string(String(repeating: "x", count: 900))])
      #expect(edit.kind == "store.full")

      try FileManager.default.removeItem(atPath: filler)
      #expect(try await shell.publish(draft).description == "succeeded")
      try await world.repository().expect(photos: 3)
      try await shell.signIn("bob.test")
      try await core.end()
    }
  }

  /// Writes until not a byte more fits than is to be left.
  private static func fill(_ path: String, leaving room: Int = 0) throws {
    if room > 0 { try Data(count: room).write(to: URL(filePath: "\(path).room")) }
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
    let handle = try #require(FileHandle(forWritingAtPath: path))
    defer { try? handle.close() }  // what is written stays either way
    try handle.seekToEnd()
    for size in [65_536, 4096, 512, 16, 1] {
      while (try? handle.write(contentsOf: Data(count: size))) != nil {}  // fails when full
    }
    if room > 0 { try FileManager.default.removeItem(atPath: "\(path).room") }
  }
}

@Suite(
  "A core on a read-only disk", .serialized,
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct CoreOnReadOnlyDisk {
  @Test("read-only: initialize is refused as store.unwritable")
  func readOnly() async throws {
    let disk = try #require(MountNamespace.folder)
    try await World.run { (world) async throws -> Void in
      let core = try await world.silentCore(dataFolder: "\(disk)/data")
      let refusal = try await core.shell.refusal("initialize", Shell.hello())
      #expect(refusal.kind == "store.unwritable")
      #expect(refusal.isWorded, "\(refusal.words)")
      try await core.abandon()
    }
  }
}
