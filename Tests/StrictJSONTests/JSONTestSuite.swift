import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite("The published JSON test suite")
struct JSONTestSuite {
  /// Where RFC 8259 leaves the choice to the parser, this is ours. Numbers keep their digits, so no size is
  /// too large; text must be UTF-8 without lone surrogates (bridge protocol §1); depth ends at 64.
  static let choices: [String: JSONParseError?] = [
    "number_double_huge_neg_exp": nil,
    "number_huge_exp": nil,
    "number_neg_int_huge_exp": nil,
    "number_pos_double_huge_exp": nil,
    "number_real_neg_overflow": nil,
    "number_real_pos_overflow": nil,
    "number_real_underflow": nil,
    "number_too_big_neg_int": nil,
    "number_too_big_pos_int": nil,
    "number_very_big_negative_int": nil,
    "object_key_lone_2nd_surrogate": .invalidJSON(offset: 8),
    "string_1st_surrogate_but_2nd_missing": .invalidJSON(offset: 8),
    "string_1st_valid_surrogate_2nd_invalid": .invalidJSON(offset: 14),
    "string_UTF-16LE_with_BOM": .invalidUTF8(offset: 0),
    "string_UTF-8_invalid_sequence": .invalidUTF8(offset: 7),
    "string_UTF8_surrogate_U+D800": .invalidUTF8(offset: 2),
    "string_incomplete_surrogate_and_escape_valid": .invalidJSON(offset: 9),
    "string_incomplete_surrogate_pair": .invalidJSON(offset: 8),
    "string_incomplete_surrogates_escape_valid": .invalidJSON(offset: 14),
    "string_invalid_lonely_surrogate": .invalidJSON(offset: 8),
    "string_invalid_surrogate": .invalidJSON(offset: 8),
    "string_invalid_utf-8": .invalidUTF8(offset: 2),
    "string_inverted_surrogates_U+1D11E": .invalidJSON(offset: 8),
    "string_iso_latin_1": .invalidUTF8(offset: 2),
    "string_lone_second_surrogate": .invalidJSON(offset: 8),
    "string_lone_utf8_continuation_byte": .invalidUTF8(offset: 2),
    "string_not_in_unicode_range": .invalidUTF8(offset: 2),
    "string_overlong_sequence_2_bytes": .invalidUTF8(offset: 2),
    "string_overlong_sequence_6_bytes": .invalidUTF8(offset: 2),
    "string_overlong_sequence_6_bytes_null": .invalidUTF8(offset: 2),
    "string_truncated-utf-8": .invalidUTF8(offset: 2),
    "string_utf16BE_no_BOM": .invalidUTF8(offset: 5),
    "string_utf16LE_no_BOM": .invalidUTF8(offset: 4),
    "structure_500_nested_arrays": .tooDeep,
    "structure_UTF-8_BOM_empty_object": .invalidJSON(offset: 0),
  ]

  /// Valid by the grammar, refused by us: the same member twice (FB-C19).
  static let duplicates: Set<String> = [
    "object_duplicated_key", "object_duplicated_key_and_value",
  ]

  static func names(_ prefix: String) -> [String] {
    // No folder, no cases: the tests are skipped with their reason then.
    let files =
      (try? FileManager.default.contentsOfDirectory(
        atPath: SharedData.url("json-parsing").path)) ?? []
    return files.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }
      .map { String($0.dropFirst(prefix.count).dropLast(5)) }.sorted()
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: SharedData.url("json-parsing/\(name).json")))
  }

  @Test(
    "every valid document is read, except those with a member twice",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func valid() throws {
    for name in Self.names("y_") {
      let document = try Self.bytes("y_\(name)")
      if Self.duplicates.contains(name) {
        #expect(throws: JSONParseError.duplicateKey("a")) { try JSONParser.parse(document) }
      } else {
        #expect(throws: Never.self, "\(name)") { try JSONParser.parse(document) }
      }
    }
    #expect(Self.names("y_").count > 90)
  }

  @Test(
    "every invalid document is refused",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func invalid() throws {
    for name in Self.names("n_") {
      let document = try Self.bytes("n_\(name)")
      #expect(throws: JSONParseError.self, "\(name)") { try JSONParser.parse(document) }
    }
    #expect(Self.names("n_").count > 180)
  }

  @Test(
    "each document the RFC leaves open has the verdict written down here",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func open() throws {
    #expect(Set(Self.names("i_")) == Set(Self.choices.keys))
    for (name, expected) in Self.choices {
      let document = try Self.bytes("i_\(name)")
      var fault: JSONParseError?
      do throws(JSONParseError) { _ = try JSONParser.parse(document) } catch { fault = error }
      #expect(fault == expected, "\(name)")
    }
  }

  @Test(
    "what was read and written again reads the same",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func roundTrip() throws {
    for name in Self.names("y_") where !Self.duplicates.contains(name) {
      let value = try JSONParser.parse(Self.bytes("y_\(name)"))
      let written = value.serialized()
      #expect(try JSONParser.parse(written) == value, "\(name)")
      #expect(try JSONParser.parse(written).serialized() == written, "\(name)")
    }
  }
}
