import Glibc

/// Where the bytes of a request's body come from.
enum BodySource: Sendable {
  case bytes([UInt8])
  case file(FileSource)

  /// `nil` for no body; a file is opened, so that what is sent is the file of this moment.
  static func open(_ body: HTTPBody) throws(HTTPError) -> BodySource? {
    switch body {
    case .none: nil
    case .bytes(let bytes): .bytes(bytes)
    case .file(let path): .file(try FileSource(path))
    }
  }

  var length: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let file): file.length
    }
  }

  /// At most that many bytes from there on.
  ///
  /// - Throws: `HTTPError.fileUnreadable` if the file has become shorter.
  func read(from offset: Int64, atMost count: Int) throws(HTTPError) -> ArraySlice<UInt8> {
    switch self {
    case .bytes(let bytes): bytes.dropFirst(Int(offset)).prefix(count)
    case .file(let file): try file.read(from: offset, atMost: count)
    }
  }
}

/// An open file of known length.
final class FileSource: Sendable {
  let length: Int64
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(HTTPError) {
    // Non-blocking, or opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .fileUnreadable(path) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .fileUnreadable(path)
    }
    self.path = path
    self.descriptor = descriptor
    length = Int64(facts.st_size)
  }

  deinit { close(descriptor) }

  func read(from offset: Int64, atMost count: Int) throws(HTTPError) -> ArraySlice<UInt8> {
    let wanted = Int(min(Int64(count), length - offset))
    guard wanted > 0 else { return [] }
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, wanted, off_t(offset)))
    }
    guard !bytes.isEmpty else { throw .fileUnreadable(path) }
    return bytes[...]
  }
}
