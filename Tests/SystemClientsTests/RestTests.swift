import Foundation
import SystemClients
import Testing

@Suite("A rest that was asked for")
struct RestTests {
  private static let start = Date(timeIntervalSince1970: 1000)
  private let rest = Rest(of: .seconds(30), from: start)

  @Test("it is over when its time is, to the moment")
  func itsTime() {
    #expect(rest.left(at: Self.start) == .seconds(30))
    #expect(rest.left(at: Self.start.addingTimeInterval(29.5)) == .milliseconds(500))
    #expect(rest.left(at: Self.start.addingTimeInterval(30)) == nil)
    #expect(Rest(of: .zero, from: Self.start).left(at: Self.start) == nil)
  }

  @Test("a clock that was set back ends it instead of stretching it (A44)")
  func setBack() {
    #expect(rest.left(at: Self.start.addingTimeInterval(-1)) == nil)
    #expect(rest.left(at: Self.start.addingTimeInterval(-7200)) == nil)
  }
}
