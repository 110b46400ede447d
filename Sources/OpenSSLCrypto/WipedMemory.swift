import COpenSSL

/// A block of memory that is overwritten with zeros before it is given back.
package final class WipedMemory: @unchecked Sendable {
  // @unchecked: the block is written only inside `init`, before anybody else can hold a reference,
  // and read afterwards; nothing else keeps its address.
  private let block: UnsafeMutableRawBufferPointer
  private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void
  private let used: Int

  /// Allocates `count` bytes, lets `fill` write them from the start, and keeps as many as it says it
  /// wrote. `release` gives the zeroed block back; a test hands in one that looks first.
  package init<Failure: Error>(
    count: Int,
    release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void = { $0.deallocate() },
    fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    // Never empty, so that its address is never nil: libcrypto reads a nil key as "no key".
    block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
    self.release = release
    do throws(Failure) {
      used = try fill(UnsafeMutableRawBufferPointer(rebasing: block[..<count]))
    } catch {
      OPENSSL_cleanse(block.baseAddress, block.count)
      release(block)
      throw error
    }
  }

  deinit {
    // Not memset: a compiler may drop a write to memory that is about to be freed.
    OPENSSL_cleanse(block.baseAddress, block.count)
    release(block)
  }

  /// The bytes in use; the pointer is good only while this object lives.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block[..<used]) }
}
