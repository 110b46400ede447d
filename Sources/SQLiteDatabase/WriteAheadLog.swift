import Glibc

/// The write-ahead log beside a database, read as SQLite's recovery would read it
/// (SQLite file format §4), but without changing a byte.
///
/// After a crash the newest first page, and with it the schema version, may be only here. No lock is
/// ever held on this file, so opening and closing it is harmless to other connections.
struct WriteAheadLog {
  private let descriptor: Int32
  private let pageSize: Int
  private let isBigEndian: Bool
  private let salts: [UInt8]
  private var sums: (UInt32, UInt32)

  /// The beginning of the database's first page as the last complete transaction in the log left
  /// it; nil where there is no log, or no such page in it.
  static func firstPage(ofDatabase path: String) -> [UInt8]? {
    let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard var log = WriteAheadLog(descriptor: descriptor) else { return nil }
    var committed: [UInt8]?
    var pending: [UInt8]?
    var offset = 32
    while let frame = log.nextFrame(at: offset) {
      if frame.page == 1 { pending = frame.beginning }
      if frame.endsTransaction {
        committed = pending ?? committed
        pending = nil
      }
      offset += 24 + log.pageSize
    }
    return committed
  }

  private init?(descriptor: Int32) {
    guard let header = Self.read(32, from: descriptor, at: 0) else { return nil }
    let magic = header.bigEndian(at: 0)
    let pageSize = Int(header.bigEndian(at: 8))
    guard magic & ~1 == 0x377f_0682, (512...65536).contains(pageSize),
      pageSize.nonzeroBitCount == 1
    else { return nil }
    self.descriptor = descriptor
    self.pageSize = pageSize
    isBigEndian = magic & 1 == 1
    salts = Array(header[16..<24])
    sums = (0, 0)
    add(header[..<24])
    guard sums == (header.bigEndian(at: 24), header.bigEndian(at: 28)) else { return nil }
  }

  private struct Frame {
    let page: UInt32
    let endsTransaction: Bool
    let beginning: [UInt8]
  }

  /// The frame there, or nil where the log ends: at the end of the file, at another salt (left over
  /// from before the last reset) or at a wrong checksum (torn by a crash).
  private mutating func nextFrame(at offset: Int) -> Frame? {
    guard let bytes = Self.read(24 + pageSize, from: descriptor, at: offset),
      bytes[8..<16].elementsEqual(salts)
    else { return nil }
    add(bytes[..<8])
    add(bytes[24...])
    guard sums == (bytes.bigEndian(at: 16), bytes.bigEndian(at: 20)) else { return nil }
    return Frame(
      page: bytes.bigEndian(at: 0), endsTransaction: bytes.bigEndian(at: 4) != 0,
      beginning: Array(bytes[24..<24 + DatabaseHeader.length]))
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    var (first, second) = sums
    let isBigEndian = isBigEndian
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        first &+= (isBigEndian ? left.bigEndian : left.littleEndian) &+ second
        second &+= (isBigEndian ? right.bigEndian : right.littleEndian) &+ first
      }
    }
    sums = (first, second)
  }

  private static func read(_ count: Int, from descriptor: Int32, at offset: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return nil }
      done += read
    }
    return bytes
  }
}
