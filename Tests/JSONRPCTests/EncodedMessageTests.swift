import JSONRPC
import StrictJSON
import Testing

@Suite("Messages as bytes")
struct EncodedMessageTests {
  @Test("a parameter that is JSON already lands where it would otherwise")
  func splicing() {
    let state: JSONValue = ["a": [1, "\u{2028}"]]
    let plain = EncodedMessage(notification: "m", ["n": 1, "state": state])
    let spliced = EncodedMessage(
      notification: "m", ["n": 1], member: (name: "state", json: state.serialized()))
    #expect(plain == spliced)
    let alone = EncodedMessage(notification: "m", [:], member: (name: "s", json: Array("{}".utf8)))
    #expect(
      String(decoding: alone.bytes, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"m","params":{"s":{}}}"#)
  }
}
