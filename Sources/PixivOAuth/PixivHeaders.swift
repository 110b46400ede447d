import Foundation
import HTTPTransport
import OpenSSLCrypto
import SystemClients

/// The fields every request to Pixiv carries, token endpoint included; without them a protection service
/// answers instead (FB-G4).
struct PixivHeaders: Sendable {
  let configuration: PixivConfiguration
  let clock: SystemClock

  /// The fields for a request made now.
  func fields() -> HTTPHeaders {
    let time = Self.time(clock.now())
    var headers: HTTPHeaders = [
      "User-Agent": configuration.userAgent, "Accept-Language": configuration.acceptLanguage,
      "Accept": "application/json", "X-Client-Time": time,
      "X-Client-Hash": Self.hash(time, salt: configuration.hashSalt),
    ]
    headers["App-OS"] = configuration.appOS?.name
    headers["App-OS-Version"] = configuration.appOS?.version
    return headers
  }

  /// `yyyy-MM-ddTHH:mm:ss+00:00` in UTC, whatever the person's calendar and language.
  static func time(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: date)
    func padded(_ number: Int?, _ width: Int = 2) -> String {
      let digits = String(number ?? 0)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return """
      \(padded(parts.year, 4))-\(padded(parts.month))-\(padded(parts.day))T\
      \(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second))+00:00
      """
  }

  /// Lower-case hex of the MD5 over time and salt.
  static func hash(_ time: String, salt: Secret) -> String {
    let digest = Digest.md5(Array(time.utf8) + salt.reveal())
    let digits = Array("0123456789abcdef")
    return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
