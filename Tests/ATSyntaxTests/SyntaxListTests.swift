import ATSyntax
import GrainTestSupport
import Testing

/// The lists every atproto implementation tests against.
@Suite(.enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
struct SyntaxListTests {
  private func lines(_ name: String) throws -> [String] {
    let lines = try SharedData.lines("atproto/syntax/\(name).txt")
    #expect(!lines.isEmpty)
    return lines
  }

  private func expectAccepted<T: SyntaxText>(_ type: T.Type, _ list: String) throws {
    for line in try lines(list) {
      #expect(throws: Never.self, "\(line)") { _ = try T(line) }
    }
  }

  private func expectRefused<T: SyntaxText>(_ type: T.Type, _ list: String) throws {
    for line in try lines(list) {
      #expect(throws: SyntaxError.self, "\(line)") { _ = try T(line) }
    }
  }

  @Test("every published DID is read, every malformed one refused")
  func dids() throws {
    try expectAccepted(DID.self, "did_syntax_valid")
    try expectRefused(DID.self, "did_syntax_invalid")
  }

  @Test("every published handle is read, every malformed one refused")
  func handles() throws {
    try expectAccepted(Handle.self, "handle_syntax_valid")
    try expectRefused(Handle.self, "handle_syntax_invalid")
  }

  @Test("every published account identifier is read, every malformed one refused")
  func atIdentifiers() throws {
    try expectAccepted(ATIdentifier.self, "atidentifier_syntax_valid")
    try expectRefused(ATIdentifier.self, "atidentifier_syntax_invalid")
  }

  @Test("every published NSID is read, every malformed one refused")
  func nsids() throws {
    try expectAccepted(NSID.self, "nsid_syntax_valid")
    try expectRefused(NSID.self, "nsid_syntax_invalid")
  }

  @Test("every published record key is read, every malformed one refused")
  func recordKeys() throws {
    try expectAccepted(RecordKey.self, "recordkey_syntax_valid")
    try expectRefused(RecordKey.self, "recordkey_syntax_invalid")
  }

  @Test("every published TID is read, every malformed one refused")
  func tids() throws {
    try expectAccepted(TID.self, "tid_syntax_valid")
    try expectRefused(TID.self, "tid_syntax_invalid")
  }

  @Test("every published AT URI is read, every malformed one refused")
  func atURIs() throws {
    try expectAccepted(ATURI.self, "aturi_syntax_valid")
    try expectRefused(ATURI.self, "aturi_syntax_invalid")
    for line in try lines("aturi_syntax_valid") { #expect(try ATURI(line).rawValue == line) }
  }

  @Test("every published datetime is read; bad spelling and impossible moments are refused")
  func dateTimes() throws {
    try expectAccepted(ATDateTime.self, "datetime_syntax_valid")
    try expectRefused(ATDateTime.self, "datetime_syntax_invalid")
    try expectRefused(ATDateTime.self, "datetime_parse_invalid")
  }

  @Test("every published language tag is read; repeated subtags are well-formed but not valid")
  func languageTags() throws {
    try expectAccepted(LanguageTag.self, "language_syntax_valid")
    try expectRefused(LanguageTag.self, "language_syntax_invalid")
    for line in try lines("language_syntax_valid") {
      #expect(try LanguageTag(line).isValid, "\(line)")
    }
    for line in try lines("language_parse_invalid") {
      #expect(try !LanguageTag(line).isValid, "\(line)")
    }
  }
}
