import Foundation
import HTTPTransport
import Testing

@Suite("What a response says about itself")
struct HTTPResponseTests {
  @Test(
    "the media type is lower case and without parameters",
    arguments: [
      ("application/json", "application/json"),
      ("Application/JSON; charset=utf-8", "application/json"),
      ("text/html ;x", "text/html"),
    ])
  func contentType(value: String, expected: String) {
    #expect(HTTPResponse(status: 200, headers: ["content-type": value]).contentType == expected)
    #expect(HTTPResponse(status: 200).contentType == nil)
  }

  @Test(
    "all three forms of a date are read (RFC 9110 §5.6.7)",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
  func dates(text: String) {
    #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(
    "what is no date is none",
    arguments: [
      "", "now", "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:-9:37 GMT",
      "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    ])
  func noDates(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test(
    "a date that is written is read again",
    arguments: [0, 784_111_777, 951_782_400, 1_772_366_400, 4_102_444_799, -1, -86_401])
  func roundTrip(seconds: Int) {
    let date = Date(timeIntervalSince1970: Double(seconds))
    #expect(HTTPDate.parse(HTTPDate.string(from: date)) == date)
    #expect(HTTPDate.string(from: date.addingTimeInterval(0.9)) == HTTPDate.string(from: date))
  }

  @Test("the preferred form is written")
  func written() {
    let date = Date(timeIntervalSince1970: 784_111_777)
    #expect(HTTPDate.string(from: date) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test("a wait is read in seconds, or as a moment measured from the server's own clock")
  func retryAfter() {
    func wait(_ headers: HTTPHeaders) -> Duration? {
      HTTPResponse(
        status: 429, headers: headers, receivedAt: Date(timeIntervalSince1970: 784_111_770)
      ).retryAfter
    }
    #expect(wait(["retry-after": "30"]) == .seconds(30))
    #expect(wait(["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"]) == .seconds(7))
    #expect(
      wait([
        "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:36 GMT",
      ]) == .seconds(1))
    #expect(wait(["Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT"]) == .zero)
    #expect(wait(["Retry-After": "-5"]) == nil)
    #expect(wait(["Retry-After": "soon"]) == nil)
    #expect(wait(["Retry-After": "99999999999999999999"]) == nil)
    // Believed for a day at most, so that nobody's number ends the program.
    #expect(wait(["Retry-After": "9223372036854775807"]) == .seconds(86_400))
    #expect(wait(["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"]) == .seconds(86_400))
    #expect(wait([:]) == nil)
  }
}
