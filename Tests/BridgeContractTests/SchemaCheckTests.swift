import GrainTestSupport
import StrictJSON
import Testing

@Suite("The tests' own schema check accepts every example and refuses every invalid one")
struct SchemaCheckTests {
  static let folders = ["common", "effects", "intents", "models", "protocol"]

  @Test("every example fits its schema", arguments: folders)
  func valid(folder: String) throws {
    let examples = try SchemaBundle.examples(in: folder)
    for example in examples {
      #expect(
        try SchemaCheck.faults(of: example.value, by: example.schema).isEmpty,
        "\(example.file): \(example.note)")
    }
    #expect(examples.count > 2)
  }

  /// What no keyword of the profile says: these are for `bridge/check`.
  static let beyond: Set<String> = [
    "failed says why", "success has no problem", "state or merge, not both",
    "state or merge, one of them", "merge names its base", "the state fits its schema",
    "the state fits the schema it names", "the code belongs to another kind",
    "the kind is not in the registry", "retryable differs from the registry",
    "an account is missing from the order", "the order and the values name different keys",
    "a key stands twice in the order", "a collection without its order",
    "the args fit the effect", "there is no such effect",
  ]

  @Test("every invalid example whose fault a keyword names does not", arguments: folders)
  func invalid(folder: String) throws {
    for example in try SchemaBundle.examples(in: "invalid/\(folder)")
    where !Self.beyond.contains(example.note) {
      #expect(
        try !SchemaCheck.faults(of: example.value, by: example.schema).isEmpty,
        "\(example.file): \(example.note)")
    }
  }
}
