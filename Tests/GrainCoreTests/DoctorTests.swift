import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON
import SystemClients
import Testing

@testable import GrainCore

@Suite("The doctor", .timeLimit(.minutes(2)))
struct DoctorTests {
  private let folder: CoreFolder

  init() throws { folder = try CoreFolder() }

  /// A configuration whose servers are all on this machine.
  private static func local() throws -> CoreConfiguration {
    let address: JSONValue = "https://127.0.0.1:1"
    return try CoreConfiguration.reading(
      [
        "plcDirectory": address, "handleResolver": address, "appServer": address,
        "signUpPDS": address,
      ])
  }

  private func doctor(
    _ keys: KeyPlaces = .file, tools: Set<String> = ["vipsthumbnail", "secret-tool"],
    _ change: (inout CoreConfiguration) -> Void = { _ in }
  ) throws -> Doctor {
    var configuration = try Self.local()
    change(&configuration)
    let programs = ProgramRunner(
      run: { invocation throws(ProgramError) in throw .notFound(invocation.executable) },
      find: { tools.contains($0) ? "/bin/\($0)" : nil })
    return Doctor(
      dataFolder: folder.path, configuration: configuration,
      doors: Core.Doors(programs: programs, keys: keys))
  }

  private func finding(
    _ subject: Finding.Subject, _ doctor: Doctor
  ) async throws -> Finding {
    try #require(await doctor.examine().first { $0.subject == subject })
  }

  private func open() async -> StoreFault? {
    await fault { () throws(StoreFault) in try await folder.open() }
  }

  // MARK: Looking

  @Test("finds a machine without a folder ready for one, and makes none")
  func nothing() async throws {
    let findings = try await doctor().examine()
    #expect(findings.map(\.subject) == Finding.Subject.allCases)
    #expect(findings.filter { !$0.sound } == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("finds a folder in order, and changes no byte and no mode of it")
  func healthy() async throws {
    try await folder.fill(3)
    let before = try folder.contents()
    let findings = try await doctor().examine()
    #expect(findings.filter { !$0.sound } == [])
    #expect(try folder.contents() == before)
    #expect(findings[1].text == "The account store is sound.")
    #expect(findings[1].facts == ["secrets": "3"])
    #expect(findings[2].facts == ["place": "file"])
    #expect(
      findings[2].advice?.contains("doctor --rewrap keyring") == true,
      "a weaker place is no fault, but better ones are named")
  }

  @Test("names who works in the folder, and leaves the store alone meanwhile")
  func inUse() async throws {
    try await folder.fill()
    let core = try await folder.open()
    let findings = try await doctor().examine()
    #expect(findings.filter { !$0.sound } == [])
    #expect(findings[0].text == "A core (process \(getpid())) works in it.")
    #expect(findings[0].facts["processId"] == "\(getpid())")
    #expect(findings[1].text.contains("not looked at"))
    await core.close()
  }

  @Test("says which path others may look into, and that a start mends it (FB-E5)")
  func loose() async throws {
    try await folder.fill()
    #expect(chmod(folder.file("vault.key"), 0o644) == 0)
    let found = try await finding(.dataFolder, doctor())
    #expect(!found.sound)
    #expect(found.text.contains("vault.key"))
    #expect(found.advice?.contains("Start the core once") == true)
    #expect(await open() == nil)
    #expect(try await finding(.dataFolder, doctor()).sound)
  }

  /// Ways a store may be, and what the doctor says of store and key.
  struct Illness: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let store: String?
    let key: String?
    let inflict: @Sendable (CoreFolder) throws -> Void
  }

  static let illnesses: [Illness] = [
    Illness(
      testDescription: "another header", store: "cannot be opened: not a database",
      key: "cannot be opened"
    ) { folder in try folder.change("core.sqlite") { $0[3] ^= 1 } },
    Illness(
      testDescription: "a page overwritten", store: "malformed", key: nil
    ) { folder in try folder.change("core.sqlite") { $0.resetBytes(in: 8192..<8256) } },
    Illness(
      testDescription: "half a file", store: "", key: nil
    ) { folder in try folder.change("core.sqlite") { $0 = $0.prefix($0.count / 2) } },
    Illness(
      testDescription: "an empty file beside a key", store: "is there, but the store",
      key: "the account store it belongs to is gone"
    ) { folder in try folder.change("core.sqlite") { $0 = Data() } },
    Illness(
      testDescription: "no file beside a key", store: "is there, but the store",
      key: "the account store it belongs to is gone"
    ) { folder in try FileManager.default.removeItem(atPath: folder.file("core.sqlite")) },
    Illness(
      testDescription: "a newer version's", store: "A newer version", key: "cannot be opened"
    ) { folder in
      try SQLiteConnection(path: folder.file("core.sqlite")).execute("PRAGMA user_version = 99")
    },
    Illness(
      testDescription: "another program's", store: "belongs to another program",
      key: "cannot be opened"
    ) { folder in
      try SQLiteConnection(path: folder.file("core.sqlite")).execute("PRAGMA application_id = 7")
    },
    Illness(testDescription: "no key", store: nil, key: "does not have their key") { folder in
      try FileManager.default.removeItem(atPath: folder.file("vault.key"))
    },
    Illness(testDescription: "another key", store: nil, key: "has another key") { folder in
      try folder.change("vault.key") { $0[5] = $0[5] == 0x61 ? 0x62 : 0x61 }
    },
    Illness(
      testDescription: "an altered secret", store: "1 of 3 secrets", key: nil
    ) { folder in
      try SQLiteConnection(path: folder.file("core.sqlite")).execute(
        "UPDATE vault_row SET sealed = zeroblob(99) WHERE label LIKE '%aab%'")
    },
    Illness(
      testDescription: "an account that lost its secrets", store: "do not belong together", key: nil
    ) { folder in
      try SQLiteConnection(path: folder.file("core.sqlite")).execute(
        "DELETE FROM vault_row WHERE label LIKE '%aab%'")
    },
  ]

  @Test(
    "says what is wrong with a store or its key, and leaves it so (FB-E3)", arguments: illnesses)
  func illness(_ illness: Illness) async throws {
    try await folder.fill(3)
    try illness.inflict(folder)
    let before = try folder.contents()
    let findings = try await doctor().examine()
    #expect(try folder.contents() == before)
    for (subject, expected) in [(Finding.Subject.store, illness.store), (.key, illness.key)] {
      let found = try #require(findings.first { $0.subject == subject })
      guard let expected else { continue }
      #expect(!found.sound)
      #expect(found.text.contains(expected) || expected.isEmpty, "\(found.text)")
      #expect(found.advice != nil)
    }
  }

  @Test("says which place holds the key, why it cannot be had, and what that protects against")
  func places() async throws {
    try Data(CoreFolder.firstPassword.utf8).write(to: URL(filePath: folder.keySource))
    await (try await folder.open(folder.commandKeys())).close()
    let without = try await finding(.key, doctor())
    #expect(!without.sound)
    #expect(without.text.contains("none was given"))
    #expect(without.advice == "Give the --key-command that this store was made with.")
    let with = try await finding(.key, doctor(folder.commandKeys()))
    #expect(with.sound)
    #expect(
      with.text == "The key comes from the key command, so the data folder alone opens nothing.")
    #expect(with.facts == ["place": "command"])
    try FileManager.default.removeItem(atPath: folder.keySource)
    let failing = try await finding(.key, doctor(folder.commandKeys()))
    #expect(!failing.sound)
    #expect(failing.text.contains("ended with status 1"))
  }

  @Test("says what is missing on the machine, and what to install")
  func machine() async throws {
    let bare = try await finding(.imageTool, doctor(tools: []))
    #expect(!bare.sound)
    #expect(bare.advice?.contains("libvips-tools") == true)
    #expect(try await finding(.imageTool, doctor()).facts == ["path": "/bin/vipsthumbnail"])
    let lost = try await finding(
      .resolvers, doctor { $0.plcDirectory = "https://no-such-host.invalid" })
    #expect(!lost.sound)
    #expect(lost.text == "no-such-host.invalid is not found by name.")
    let mapped = try await finding(
      .resolvers,
      doctor {
        $0.plcDirectory = "https://no-such-host.invalid"
        $0.hosts = ["no-such-host.invalid": "https://127.0.0.1:1"]
      })
    #expect(mapped.sound)
  }

  // MARK: Mending

  @Test("gives the key to another place and back, accounts untouched")
  func rewrap() async throws {
    try await folder.fill(3)
    try Data(CoreFolder.firstPassword.utf8).write(to: URL(filePath: folder.keySource))
    let doctor = try doctor(folder.commandKeys())
    #expect(try await doctor.rewrap(to: "command") == "The key has moved from file to command.")
    #expect(!FileManager.default.fileExists(atPath: folder.file("vault.key")))
    #expect(try await finding(.key, doctor).facts == ["place": "command"])
    #expect(try await finding(.store, doctor).facts == ["secrets": "3"])
    #expect(
      try await doctor.rewrap(to: "command")
        == "The key is there already (command); nothing was changed.")
    #expect(try await doctor.rewrap(to: "file") == "The key has moved from command to file.")
    #expect(await open() == nil)
  }

  @Test("refuses to mend while a core works there, or where nothing is wrong")
  func refusals() async throws {
    let doctor = try doctor()
    await #expect(throws: Doctor.Refusal("There is no account store here.")) {
      try await doctor.setAside(at: Date())
    }
    try await folder.fill()
    await #expect(throws: Doctor.Refusal("The store is sound; nothing was moved.")) {
      try await doctor.setAside(at: Date())
    }
    await #expect(
      throws: Doctor.Refusal("Nothing was changed: the desktop's key store cannot be read.")
    ) {
      try await doctor.rewrap(to: "keyring")
    }
    let core = try await folder.open()
    let inUse = Doctor.Refusal("A core (process \(getpid())) works in this folder; end it first.")
    await #expect(throws: inUse) { try await doctor.setAside(at: Date()) }
    await #expect(throws: inUse) { try await doctor.rewrap(to: "file") }
    await core.close()
    #expect(await open() == nil)
  }

  @Test("reports a store that vanished though its key comes from a command, until it is set aside")
  func vanishedWithKeyElsewhere() async throws {
    try Data(CoreFolder.firstPassword.utf8).write(to: URL(filePath: folder.keySource))
    let keys = try folder.commandKeys()
    await (try await folder.open(keys)).close()
    try FileManager.default.removeItem(atPath: folder.file("core.sqlite"))
    for _ in 0..<2 {
      let met = await fault { () throws(StoreFault) in try await folder.open(keys) }
      #expect(met == .corrupt("the store is gone whose key the key command has"))
    }
    let doctor = try doctor(keys)
    #expect(try await !finding(.store, doctor).sound)
    #expect(try await finding(.key, doctor).facts == ["place": "command"])
    let moves = try await doctor.setAside(at: folder.clock.now)
    #expect(moves.map(\.from).contains(folder.file("core.sqlite-vault")))
    #expect(await fault { () throws(StoreFault) in try await folder.open(keys) } == nil)
  }

  @Test(
    "sets a store aside with all that belongs to it; the next start is new, and nothing is lost",
    arguments: illnesses.filter { $0.testDescription != "a newer version's" })
  func setAside(_ illness: Illness) async throws {
    try await folder.fill(3)
    let prepared = folder.file("drafts/d1")
    try FileManager.default.createDirectory(atPath: prepared, withIntermediateDirectories: false)
    try Data([1, 2, 3]).write(to: URL(filePath: prepared + "/picture"))
    try Data([4]).write(to: URL(filePath: folder.file("somebody-elses")))
    try illness.inflict(folder)
    let before = try folder.contents()

    let moment = Date(timeIntervalSince1970: 1_772_366_400)
    let moves = try await doctor().setAside(at: moment)
    #expect(moves.allSatisfy { $0.to.hasPrefix(folder.file("set-aside-20260301T120000Z/")) })
    #expect(moves.last?.from.hasSuffix("vault.key") == true || before["vault.key"] == nil)
    var after: [String: Data] = [:]
    for (name, bytes) in try folder.contents() {
      let parts = name.split(separator: "/", maxSplits: 1)
      after[name.hasPrefix("set-aside-") ? String(parts[1]) : name] = bytes
    }
    #expect(after == before)
    #expect(try folder.contents()["somebody-elses"] == Data([4]))
    for move in moves {
      #expect(!FileManager.default.fileExists(atPath: move.from))
      #expect(FileManager.default.fileExists(atPath: move.to))
    }

    // A new beginning beside it, which leaves it alone.
    #expect(await open() == nil)
    let kept = try folder.contents().filter { $0.key.hasPrefix("set-aside-") }
    #expect(kept.count == before.count - 2)
    #expect(FileManager.default.fileExists(atPath: folder.file("vault.key")))
  }
}

extension CoreFolder {
  /// Changes a file's bytes.
  func change(_ name: String, _ edit: (inout Data) throws -> Void) throws {
    let url = URL(filePath: file(name))
    var bytes = try Data(contentsOf: url)
    try edit(&bytes)
    try bytes.write(to: url)
  }
}
