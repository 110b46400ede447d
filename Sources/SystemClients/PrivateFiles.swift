import Foundation
import Glibc

/// Files and folders nobody else may look into: folders 0700, files 0600.
package enum PrivateFiles {
  private static let temporarySuffix = ".grain-tmp"

  /// Makes the folder and its missing parents. A loose mode of an existing one is tightened (FB-E5).
  ///
  /// - Throws: `FileError.notOwned` if the folder belongs to another user.
  package static func makeFolder(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) != 0 {
      switch errno {
      case EEXIST: break
      case ENOENT:
        let parent = (path as NSString).deletingLastPathComponent
        guard !parent.isEmpty, parent != path else { throw .notFound(path) }
        if access(parent, F_OK) != 0 { try makeFolder(parent) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
          throw .writing(path, errno: errno)
        }
      default: throw .writing(path, errno: errno)
      }
    }
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw .reading(path, errno: errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .other(path, errno: ENOTDIR) }
    try tighten(path, facts)
  }

  /// Puts a folder that may have been left loose or half-written in order: removes temporary files
  /// of interrupted writes (FB-E4) and tightens the mode of everything below it (FB-E5).
  ///
  /// Only for the one process that holds the folder's lock.
  /// - Throws: `FileError.notOwned` if anything in it belongs to another user.
  package static func tidy(_ folder: String) throws(FileError) {
    for name in try names(in: folder) {
      let path = "\(folder)/\(name)"
      if name.hasSuffix(temporarySuffix) {
        try remove(path)
        continue
      }
      var facts = stat()
      guard lstat(path, &facts) == 0 else { continue }  // Gone in between.
      switch facts.st_mode & S_IFMT {
      case S_IFDIR:
        try tighten(path, facts)
        try tidy(path)
      case S_IFLNK: break  // Its mode means nothing, and its target is not ours to change.
      default: try tighten(path, facts)
      }
    }
  }

  /// Replaces the file's content as a whole: after a crash at any moment the old or the new content
  /// is complete (FB-E4). Its mode is 0600.
  package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let folder = (path as NSString).deletingLastPathComponent
    let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max))\(temporarySuffix)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .writing(path, errno: errno) }
    guard fchmod(descriptor, 0o600) == 0, writeAll(bytes, to: descriptor), fsync(descriptor) == 0
    else {
      let code = errno
      close(descriptor)
      unlink(temporary)
      throw .writing(path, errno: code)
    }
    close(descriptor)
    guard rename(temporary, path) == 0 else {
      let code = errno
      unlink(temporary)
      throw .writing(path, errno: code)
    }
    try synchronizeFolder(folder.isEmpty ? "." : folder)
  }

  /// The file's content, at most `limit` bytes.
  ///
  /// - Throws: `FileError.other` with `EFBIG` for a longer file, with `EINVAL` for what is no file.
  package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // Non-blocking, or opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .reading(path, errno: errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw .reading(path, errno: errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .other(path, errno: EINVAL) }
    guard facts.st_size <= limit else { throw .other(path, errno: EFBIG) }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(facts.st_size))
    var chunk = [UInt8](repeating: 0, count: min(65536, limit + 1))
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .reading(path, errno: errno) }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw .other(path, errno: EFBIG) }
      bytes += chunk[..<count]
    }
  }

  /// Removes a file, or a folder with everything in it; links are removed, not followed.
  /// What is missing already counts as removed.
  package static func remove(_ path: String) throws(FileError) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      if errno == ENOENT { return }
      throw .reading(path, errno: errno)
    }
    let isFolder = facts.st_mode & S_IFMT == S_IFDIR
    if isFolder {
      for name in try names(in: path) { try remove("\(path)/\(name)") }
    }
    guard (isFolder ? rmdir(path) : unlink(path)) == 0 || errno == ENOENT else {
      throw .writing(path, errno: errno)
    }
  }

  /// Gives a file or folder another name on the same disk, lasting through a power cut.
  ///
  /// - Throws: `FileError.other` with `EEXIST` where the name is taken; nothing is replaced.
  package static func move(_ path: String, to other: String) throws(FileError) {
    guard access(other, F_OK) != 0 else { throw .other(other, errno: EEXIST) }
    guard rename(path, other) == 0 else { throw .writing(path, errno: errno) }
    try synchronizeFolder((other as NSString).deletingLastPathComponent)
    try synchronizeFolder((path as NSString).deletingLastPathComponent)
  }

  private static func tighten(_ path: String, _ facts: stat) throws(FileError) {
    guard facts.st_uid == geteuid() else { throw .notOwned(path) }
    guard facts.st_mode & 0o7077 != 0 else { return }
    guard chmod(path, facts.st_mode & 0o700) == 0 else { throw .writing(path, errno: errno) }
  }

  static func names(in folder: String) throws(FileError) -> [String] {
    guard let stream = opendir(folder) else { throw .reading(folder, errno: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Makes a rename last through a power cut.
  private static func synchronizeFolder(_ folder: String) throws(FileError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .writing(folder, errno: errno) }
    defer { close(descriptor) }
    // Some file systems cannot synchronise a folder (EINVAL); there the rename is all there is.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .writing(folder, errno: errno) }
  }
}
