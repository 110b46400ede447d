import Testing

import OpenSSLCrypto
import SystemClients

@Suite("A secret")
struct SecretTests {
  @Test("never prints what it holds, by any of the usual ways")
  func neverPrints() {
    struct Account { let handle = "alice.test", token = Secret(text: "eyJ-token") }
    let secret = Secret(text: "eyJ-token")
    var dumped = ""
    dump(Account(), to: &dumped)
    let shown = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\(Account())",
      "\(Optional(secret) as Any)", "\([secret])", dumped,
    ]
    for text in shown {
      #expect(!text.contains("eyJ"))
      #expect(!text.contains("101, 121"))
    }
    #expect("\(secret)" == "Secret(redacted)")
  }

  @Test("gives its bytes back when asked by name")
  func reveals() {
    #expect(Secret([1, 2, 3]).reveal() == [1, 2, 3])
    #expect(Secret(text: "Grüße").revealText() == "Grüße")
    #expect(Secret([]).reveal().isEmpty)
    #expect(Secret(text: "abc").count == 3)
  }

  @Test("equals another with the same bytes only")
  func equality() {
    #expect(Secret([1, 2]) == Secret([1, 2]))
    #expect(Secret([1, 2]) != Secret([1, 3]))
    #expect(Secret([1, 2]) != Secret([1, 2, 0]))
    #expect(Secret([]) == Secret([]))
    #expect(ConstantTime.equal("state", "state"))
    #expect(!ConstantTime.equal("state", "State"))
    #expect(!ConstantTime.equal("\u{e9}", "e\u{301}"), "bytes decide, not what they look like")
  }

  @Test("leaves only zeros in memory when its last copy dies, and not before")
  func wipes() throws {
    let seen = Locked<[[UInt8]]>([])
    var memory: WipedMemory? = WipedMemory(
      count: 4,
      release: { block in
        seen.withLock { $0.append(Array(block)) }
        block.deallocate()
      },
      fill: { block in
        block.copyBytes(from: [9, 8, 7, 6])
        return 4
      })
    var copy = memory
    memory = nil
    #expect(try Array(#require(copy).bytes) == [9, 8, 7, 6])
    #expect(seen.withLock { $0 }.isEmpty)
    copy = nil
    #expect(seen.withLock { $0 } == [[0, 0, 0, 0]])
  }

  @Test("leaves only zeros when making it fails half way")
  func wipesAfterFailure() {
    let seen = Locked<[[UInt8]]>([])
    #expect(throws: CryptoError.invalidKey) {
      _ = try WipedMemory(
        count: 2,
        release: { block in
          seen.withLock { $0.append(Array(block)) }
          block.deallocate()
        },
        fill: { block throws(CryptoError) in
          block.copyBytes(from: [5, 5])
          throw .invalidKey
        })
    }
    #expect(seen.withLock { $0 } == [[0, 0]])
  }
}
