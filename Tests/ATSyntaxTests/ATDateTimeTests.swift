import ATSyntax
import Foundation
import Testing

@Suite struct ATDateTimeTests {
  @Test(
    "a moment is written in UTC with milliseconds and Z",
    arguments: [
      (0.0, "1970-01-01T00:00:00.000Z"), (1_700_000_000.123, "2023-11-14T22:13:20.123Z"),
      (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      (1_709_251_199.9996, "2024-03-01T00:00:00.000Z"),
      (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
    ])
  func spelling(seconds: Double, expected: String) {
    #expect(ATDateTime.string(from: Date(timeIntervalSince1970: seconds)) == expected)
  }

  @Test(
    "a written moment is read to the millisecond, whatever its zone",
    arguments: [
      ("1985-04-12T23:20:50.123Z", 482_196_050.123),
      ("1985-04-12T23:20:50.123-07:00", 482_221_250.123),
      ("1985-04-12T23:20:50.123+01:45", 482_189_750.123), ("1985-04-12T23:20:50Z", 482_196_050),
      ("2000-02-29T00:00:00Z", 951_782_400),
    ])
  func reading(text: String, expected: Double) throws {
    #expect(abs(try ATDateTime(text).date.timeIntervalSince1970 - expected) < 0.0005)
  }

  @Test("every day from 1900 to 2100 is read back as it was written")
  func everyDay() throws {
    for day in -25_567..<47_482 {
      let text = ATDateTime.string(from: Date(timeIntervalSince1970: Double(day) * 86_400))
      #expect(try ATDateTime(text).date.timeIntervalSince1970 == Double(day) * 86_400)
    }
  }

  @Test(
    "a leap day is refused in a common year", arguments: ["2023-02-29", "1900-02-29", "2024-04-31"])
  func impossibleDays(day: String) {
    #expect(throws: SyntaxError.self) { _ = try ATDateTime("\(day)T00:00:00Z") }
  }

  @Test("the text of a foreign record is kept as it came")
  func textIsKept() throws {
    #expect(try ATDateTime("1985-04-12T23:20:50.123456Z").rawValue == "1985-04-12T23:20:50.123456Z")
  }
}
