/// A step that did not go as it says.
struct StepFailure: Error {
  /// What was expected, in a line.
  let message: String
  /// What differs, and what was there, in further lines.
  var details: [String] = []

  init(_ message: String, _ details: [String] = []) {
    self.message = message
    self.details = details
  }
}

/// How a script went.
package enum TranscriptOutcome: Sendable {
  /// Every step went as it says; these were passed over, with their reasons.
  case passed(skipped: [String])
  /// A report for whoever has to find out why: the place first, then everything known.
  case failed(String)
}
