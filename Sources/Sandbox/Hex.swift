/// Bytes as lower-case hexadecimal digits: the spelling of every identifier minted here.
enum Hex {
  private static let digits = Array("0123456789abcdef")

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
