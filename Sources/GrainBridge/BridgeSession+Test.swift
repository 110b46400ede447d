import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeOptions {
  /// What scripts may do to a core of the test profile (bridge-protocol §13).
  package struct TestMethods: Sendable {
    /// Lets virtual time pass; gives back what time it is then, as RFC 3339 with milliseconds.
    package var advance: @Sendable (Duration) async -> String
    /// Lets a fault begin or end, with the delay it has if it has one; `false` for an unknown name.
    package var fault: @Sendable (_ name: String, _ isOn: Bool, _ delay: Duration?) async -> Bool

    /// Methods made of these parts.
    package init(
      advance: @escaping @Sendable (Duration) async -> String,
      fault: @escaping @Sendable (_ name: String, _ isOn: Bool, _ delay: Duration?) async -> Bool
    ) {
      self.advance = advance
      self.fault = fault
    }
  }
}

extension BridgeSession {
  /// Days of virtual time at a time; more is a slip of the pen.
  private static let longestAdvance = 400 * 86_400_000

  /// Runs a `$/test/…` method, in any stage of the session.
  ///
  /// - Returns: `false` when there is no such method, which outside the test profile is always.
  func answerTest(
    _ id: RequestID, _ method: String, _ params: JSONObject
  ) async throws(IntentRejection) -> Bool {
    guard let test = options.test else { return false }
    var parameters = Parameters(params)
    switch method {
    case "$/test/advance":
      guard let wanted = try parameters.integer("ms", in: 0...Self.longestAdvance) else {
        throw .invalid("/ms")
      }
      try parameters.end()
      let now = await test.advance(.milliseconds(wanted))
      commit()
      connection.respond(id, ["now": .string(now)])
    case "$/test/fault":
      let name = try parameters.key("fault")
      let isOn = try parameters.flag("on") ?? true
      let delay = try parameters.integer("ms", in: 0...Self.longestAdvance)
      try parameters.end()
      guard await test.fault(name, isOn, delay.map { .milliseconds($0) }) else {
        throw .invalid("/fault")
      }
      connection.respond(id, [:])
    default: return false
    }
    return true
  }
}
