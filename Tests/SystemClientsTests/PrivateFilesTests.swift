import Foundation
import Glibc
import GrainTestSupport
import SystemClients
import Testing

@Suite("Files nobody else may read")
struct PrivateFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a survey names what is loose or somebody else's, and changes nothing (FB-E5)")
  func survey() throws {
    #expect(throws: FileError.notFound(folder.path("data"))) {
      try PrivateFiles.survey(folder.path("data"))
    }
    try PrivateFiles.makeFolder(folder.path("data/drafts"))
    try PrivateFiles.write([1], to: folder.path("data/key"))
    try PrivateFiles.write([1], to: folder.path("data/drafts/1"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("data/link"), withDestinationPath: "/etc/passwd")
    let path = folder.path("data")
    var expected = PrivateFiles.Survey()
    expected.files = 2
    #expect(try PrivateFiles.survey(path) == expected)
    chmod(folder.path("data/drafts/1"), 0o640)
    chmod(path, 0o711)
    expected.loose = [path, folder.path("data/drafts/1")]
    #expect(try PrivateFiles.survey(path) == expected)
    #expect(mode("data/drafts/1") == 0o640)
    if chown(folder.path("data/key"), 54_321, 54_321) == 0 {  // Only root may.
      expected.foreign = [folder.path("data/key")]
      #expect(try PrivateFiles.survey(path) == expected)
    }
  }

  @Test("a move replaces nothing")
  func move() throws {
    try PrivateFiles.write([1], to: folder.path("a"))
    try PrivateFiles.write([2], to: folder.path("b"))
    #expect(throws: FileError.other(folder.path("b"), errno: EEXIST)) {
      try PrivateFiles.move(folder.path("a"), to: folder.path("b"))
    }
    try PrivateFiles.makeFolder(folder.path("other"))
    try PrivateFiles.move(folder.path("a"), to: folder.path("other/a"))
    #expect(try PrivateFiles.read(folder.path("other/a"), limit: 9) == [1])
    #expect(try PrivateFiles.read(folder.path("b"), limit: 9) == [2])
    #expect(throws: FileError.notFound(folder.path("a"))) {
      try PrivateFiles.move(folder.path("a"), to: folder.path("c"))
    }
  }

  @Test("a new folder and its missing parents are for the owner only (FB-E5)")
  func newFolder() throws {
    try PrivateFiles.makeFolder(folder.path("a/b/c"))
    for path in ["a", "a/b", "a/b/c"] { #expect(mode(path) == 0o700) }
    try PrivateFiles.makeFolder(folder.path("a/b/c"))
  }

  @Test("a loose folder of our own is tightened, everything in it by tidying (FB-E5)")
  func loose() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("data/drafts"), withIntermediateDirectories: true)
    for path in ["data/core.sqlite", "data/core.sqlite-wal", "data/drafts/1.jpg"] {
      try Data("x".utf8).write(to: URL(filePath: folder.path(path)))
      chmod(folder.path(path), 0o666)
    }
    chmod(folder.path("data"), 0o777)
    chmod(folder.path("data/drafts"), 0o777)

    try PrivateFiles.makeFolder(folder.path("data"))
    try PrivateFiles.tidy(folder.path("data"))
    #expect(mode("data") == 0o700)
    #expect(mode("data/drafts") == 0o700)
    for path in ["data/core.sqlite", "data/core.sqlite-wal", "data/drafts/1.jpg"] {
      #expect(mode(path) == 0o600)
    }
  }

  @Test(
    "what belongs to somebody else is refused (FB-E5)",
    .enabled(if: geteuid() == 0, "only root can give a file away"))
  func foreignOwner() throws {
    let path = folder.path("foreign")
    try PrivateFiles.makeFolder(path)
    try PrivateFiles.write([1], to: "\(path)/file")
    chown("\(path)/file", 12345, 12345)
    #expect(throws: FileError.notOwned("\(path)/file")) { try PrivateFiles.tidy(path) }
    chown(path, 12345, 12345)
    #expect(throws: FileError.notOwned(path)) { try PrivateFiles.makeFolder(path) }
  }

  @Test("a file in the way of a folder is an error, not replaced")
  func fileInTheWay() throws {
    try PrivateFiles.write([1], to: folder.path("x"))
    #expect(throws: FileError.other(folder.path("x"), errno: ENOTDIR)) {
      try PrivateFiles.makeFolder(folder.path("x"))
    }
  }

  @Test("a written file is for the owner only and leaves nothing beside it")
  func write() throws {
    let path = folder.path("key")
    try PrivateFiles.write([1, 2, 3], to: path)
    try PrivateFiles.write([4], to: path)
    #expect(try PrivateFiles.read(path, limit: 10) == [4])
    #expect(mode("key") == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
  }

  @Test("writing into a missing folder says so")
  func missingFolder() {
    #expect(throws: FileError.notFound(folder.path("none/x"))) {
      try PrivateFiles.write([1], to: folder.path("none/x"))
    }
  }

  @Test("a full disk leaves the old content and no half file (FB-E4)")
  func fullDisk() async throws {
    let path = folder.path("settings")
    try PrivateFiles.write(Array("old".utf8), to: path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      // A file-size limit fails in the middle of the write, as a full disk does.
      ignoreWriteSignals()
      var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(throws: FileError.full) {
        try PrivateFiles.write([UInt8](repeating: 1, count: 100_000), to: path)
      }
    }
    #expect(try PrivateFiles.read(path, limit: 100) == Array("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["settings"])
  }

  @Test("after a kill in the middle of writing, the old or the new content is complete (FB-E4)")
  func killedMidWrite() async throws {
    let path = folder.path("settings")
    try PrivateFiles.write([UInt8](repeating: 0, count: 200_000), to: path)
    for delay in [1_000, 2_500, 4_000] {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as Int] in
        Thread.detachNewThread {
          usleep(UInt32(20_000 + delay))
          kill(getpid(), SIGKILL)
        }
        for round in 0... {
          try PrivateFiles.write(
            [UInt8](repeating: UInt8(round % 200), count: 200_000 + round % 200), to: path)
        }
      }
      let content = try PrivateFiles.read(path, limit: 300_000)
      let first = try #require(content.first)
      #expect(content.count == 200_000 + Int(first) && content.allSatisfy { $0 == first })
    }
    try PrivateFiles.tidy(folder.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["settings"])
  }

  @Test("reading stops at the limit, and refuses what is no file")
  func read() throws {
    let path = folder.path("x")
    try PrivateFiles.write([1, 2, 3], to: path)
    #expect(try PrivateFiles.read(path, limit: 3) == [1, 2, 3])
    #expect(throws: FileError.other(path, errno: EFBIG)) { try PrivateFiles.read(path, limit: 2) }
    #expect(throws: FileError.notFound(folder.path("y"))) {
      try PrivateFiles.read(folder.path("y"), limit: 2)
    }
    #expect(throws: FileError.other(folder.path, errno: EINVAL)) {
      try PrivateFiles.read(folder.path, limit: 2)
    }
    mkfifo(folder.path("pipe"), 0o600)
    #expect(throws: FileError.other(folder.path("pipe"), errno: EINVAL)) {
      try PrivateFiles.read(folder.path("pipe"), limit: 2)
    }
    #expect(throws: FileError.other("/proc/self/status", errno: EFBIG)) {
      try PrivateFiles.read("/proc/self/status", limit: 2)  // It claims to be empty.
    }
  }

  @Test("removing takes folders whole, does not follow links, and what is missing is removed")
  func remove() throws {
    try PrivateFiles.makeFolder(folder.path("kept"))
    try PrivateFiles.write([1], to: folder.path("kept/file"))
    try PrivateFiles.makeFolder(folder.path("gone/deep"))
    try PrivateFiles.write([1], to: folder.path("gone/deep/file"))
    symlink(folder.path("kept"), folder.path("gone/link"))
    try PrivateFiles.remove(folder.path("gone"))
    try PrivateFiles.remove(folder.path("gone"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
    #expect(try PrivateFiles.read(folder.path("kept/file"), limit: 1) == [1])
  }

  private func mode(_ name: String) -> mode_t {
    var facts = stat()
    lstat(folder.path(name), &facts)
    return facts.st_mode & 0o7777
  }
}

@Suite("One core on one folder (FB-E2)")
struct FolderLockTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a second holder is refused with the process id of the first")
  func held() throws {
    let lock = try FolderLock.acquire(folder.path, processID: 4711)
    #expect(throws: FileError.locked(holder: 4711)) {
      try FolderLock.acquire(folder.path, processID: 4712)
    }
    lock.release()
    let next = try FolderLock.acquire(folder.path, processID: 4712)
    #expect(throws: FileError.locked(holder: 4712)) {
      try FolderLock.acquire(folder.path, processID: 4711)
    }
    lock.release()  // Must not give away what is no longer its own.
    #expect(throws: FileError.locked(holder: 4712)) {
      try FolderLock.acquire(folder.path, processID: 4711)
    }
    next.release()
  }

  @Test("a holder that was killed blocks nobody")
  func deadHolder() async throws {
    let path = folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let lock = try FolderLock.acquire(path, processID: getpid())
      kill(getpid(), SIGKILL)
      lock.release()
    }
    #expect(FileManager.default.fileExists(atPath: folder.path("lock")))
    try FolderLock.acquire(folder.path, processID: 1).release()
  }

  @Test("who only looks keeps others out, is kept out, and writes nothing")
  func looking() throws {
    #expect(try FolderLock.acquireToLook(folder.path).map { _ in true } == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path("lock")))
    let holder = try FolderLock.acquire(folder.path, processID: 4711)
    #expect(throws: FileError.locked(holder: 4711)) { try FolderLock.acquireToLook(folder.path) }
    holder.release()
    try Data("as it was".utf8).write(to: URL(filePath: folder.path("lock")))
    let looker = try #require(try FolderLock.acquireToLook(folder.path))
    #expect(throws: FileError.locked(holder: nil)) {
      try FolderLock.acquire(folder.path, processID: 1)
    }
    looker.release()
    #expect(try Data(contentsOf: URL(filePath: folder.path("lock"))) == Data("as it was".utf8))
    try FolderLock.acquire(folder.path, processID: 1).release()
  }

  @Test("a missing folder is a clear error")
  func missingFolder() {
    #expect(throws: FileError.notFound(folder.path("none/lock"))) {
      try FolderLock.acquire(folder.path("none"), processID: 1)
    }
  }

  @Test("a started program does not inherit the lock")
  func programs() async throws {
    let lock = try FolderLock.acquire(folder.path, processID: 1)
    // It leaves a process behind that outlives the lock.
    _ = try await ProgramRunner.live.run(
      ProgramInvocation(executable: "/bin/sh", arguments: ["-c", "sleep 5 >/dev/null 2>&1 &"]))
    lock.release()
    try FolderLock.acquire(folder.path, processID: 2).release()
  }
}
