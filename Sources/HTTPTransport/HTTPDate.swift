package import Foundation

/// Points in time as HTTP writes them (RFC 9110 §5.6.7).
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  /// The preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are dropped.
  package static func string(from date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let dayNumber = Int((Double(seconds) / 86_400).rounded(.down))
    let second = seconds - dayNumber * 86_400
    let (year, month, day) = civil(fromDays: dayNumber)
    let weekday = days[((dayNumber % 7) + 7) % 7]
    return "\(weekday), \(padded(day)) \(months[month - 1]) \(padded(year, to: 4)) "
      + "\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60)) GMT"
  }

  /// The time meant by any of the three forms a recipient must read; `nil` for anything else.
  package static func parse(_ text: String) -> Date? {
    let parts = text.split(separator: " ").map(String.init)
    switch parts.count {
    case 6:  // Sun, 06 Nov 1994 08:49:37 GMT
      guard parts[0].hasSuffix(","), parts[5] == "GMT" else { return nil }
      return date(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
    case 4:  // Sunday, 06-Nov-94 08:49:37 GMT
      let calendar = parts[1].split(separator: "-").map(String.init)
      guard parts[0].hasSuffix(","), parts[3] == "GMT", calendar.count == 3,
        let short = Int(calendar[2]), (0...99).contains(short)
      else { return nil }
      // Two digits of our days: the standard's fifty-year rule with a fixed pivot.
      return date(
        day: calendar[0], month: calendar[1],
        year: String(short < 70 ? 2000 + short : 1900 + short),
        time: parts[2])
    case 5:  // Sun Nov  6 08:49:37 1994
      return date(day: parts[2], month: parts[1], year: parts[4], time: parts[3])
    default: return nil
    }
  }

  private static func date(day: String, month: String, year: String, time: String) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard let day = number(day), let month = months.firstIndex(of: month), let year = number(year),
      (1...31).contains(day), (1...9999).contains(year), clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = daysFromCivil(year: year, month: month + 1, day: day)
    guard civil(fromDays: days) == (year, month + 1, day) else { return nil }
    return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Days since 1 January 1970, by counting eras of 400 years that begin in March.
  private static func daysFromCivil(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
