import Glibc

/// The address of a socket in a folder, also where the folder's path is too long to be one.
///
/// A socket's address holds 107 bytes of path; a longer one is reached through a descriptor of the
/// folder, whose name in `/proc` is short (unix(7)).
struct LocalAddress: ~Copyable {
  private var address = sockaddr_un()
  private let folder: Int32?

  /// - Throws: `FileError` where the folder cannot be opened, or the socket's own name is too long.
  init(_ name: String, in folder: String) throws(FileError) {
    let direct = "\(folder)/\(name)"
    if direct.utf8.count < Self.room {
      self.folder = nil
      Self.put(direct, in: &address)
      return
    }
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .reading(folder, errno: errno) }
    let short = "/proc/self/fd/\(descriptor)/\(name)"
    guard short.utf8.count < Self.room else {
      close(descriptor)
      throw .other(direct, errno: ENAMETOOLONG)
    }
    self.folder = descriptor
    Self.put(short, in: &address)
  }

  deinit {
    if let folder { close(folder) }
  }

  /// Calls `body` with the address as system calls take it.
  func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Room for a path, its closing zero included.
  private static let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  private static func put(_ path: String, in address: inout sockaddr_un) {
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  }
}
