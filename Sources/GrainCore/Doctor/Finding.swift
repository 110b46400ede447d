/// One thing a doctor looked at: how it is, in one sentence, and what to do.
package struct Finding: Codable, Equatable, Sendable {
  /// What was looked at.
  package enum Subject: String, Codable, CaseIterable, Sendable {
    case dataFolder, store, key, imageTool, trustStore, resolvers
  }

  /// What was looked at.
  package let subject: Subject
  /// Whether nothing needs mending.
  package let sound: Bool
  /// One sentence.
  package let text: String
  /// What to do; on a sound thing, what one might do.
  package let advice: String?
  /// Names and numbers for programs.
  package let facts: [String: String]

  init(
    _ subject: Subject, sound: Bool = true, _ text: String, advice: String? = nil,
    facts: [String: String] = [:]
  ) {
    self.subject = subject
    self.sound = sound
    self.text = text
    self.advice = advice
    self.facts = facts
  }
}
