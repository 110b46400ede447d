import GrainSnapshots
import GrainTestSupport
import StrictJSON
import Testing

@Suite("The models in Swift are the models of the schemas")
struct ModelContractTests {
  /// Decodes strictly and encodes again.
  private static func roundTrip<T: Codable>(_ type: T.Type, _ value: JSONValue) throws -> JSONValue
  {
    let decoder = JSONValueDecoder(nullMembers: .refused, unknownMembers: .refused)
    return try JSONValueEncoder().encode(decoder.decode(type, from: value))
  }

  private static func roundTrip(state: JSONValue, schema: String) throws -> JSONValue? {
    switch schema {
    case LoginSnapshot.schema: try roundTrip(LoginSnapshot.self, state)
    case AccountListSnapshot.schema: try roundTrip(AccountListSnapshot.self, state)
    case DraftListSnapshot.schema: try roundTrip(DraftListSnapshot.self, state)
    case DeviceListSnapshot.schema: try roundTrip(DeviceListSnapshot.self, state)
    case GalleryPublishSnapshot.schema: try roundTrip(GalleryPublishSnapshot.self, state)
    default: nil
    }
  }

  @Test("every state among the examples decodes, and encodes to the same text")
  func states() throws {
    var count = 0
    for example in try SchemaBundle.examples(in: "models") {
      guard let again = try Self.roundTrip(state: example.value, schema: example.schema) else {
        continue  // the arguments of a model
      }
      #expect(again.text() == example.value.text(), "\(example.file): \(example.note)")
      count += 1
    }
    #expect(count >= 11)
  }

  @Test("every state of the recorded sessions, merged step by step, decodes and encodes alike")
  func sessions() throws {
    var count = 0
    for session in try SchemaBundle.sessions() {
      var held: [String: JSONValue] = [:]
      for step in session.steps {
        guard let params = step["expect"]?["params"],
          step["expect"]?["method"] == "models/snapshot",
          let subscription = params["subscription"]?.stringValue,
          let schema = params["schema"]?.stringValue
        else { continue }
        let state =
          params["state"]
          ?? MergePatch.apply(params["merge"] ?? [:], to: held[subscription] ?? [:])
        held[subscription] = state
        #expect(try Self.roundTrip(state: state, schema: schema) == state, "\(session.name)")
        count += 1
      }
    }
    #expect(count >= 7)
  }

  @Test("messages, media and problems among the examples decode, and encode to the same text")
  func common() throws {
    for example in try SchemaBundle.examples(in: "common") {
      let again =
        switch example.schema {
        case "v1/common/message.json": try Self.roundTrip(Message.self, example.value)
        case "v1/common/media.json": try Self.roundTrip(Media.self, example.value)
        case "v1/common/problem.json": try Self.roundTrip(Problem.self, example.value)
        default: try Self.roundTrip(ErrorData.self, example.value)
        }
      #expect(again.text() == example.value.text(), "\(example.file): \(example.note)")
    }
  }

  @Test("problems and error data inside protocol messages decode, and encode to the same text")
  func inside() throws {
    var count = 0
    for example in try SchemaBundle.examples(in: "protocol") {
      if let problem = example.value["problem"] {
        #expect(try Self.roundTrip(Problem.self, problem).text() == problem.text())
        count += 1
      }
      let error = example.schema.hasSuffix("error.json") ? example.value : example.value["error"]
      if let data = error?["data"] {
        let decoded = try JSONValueDecoder().decode(ErrorData.self, from: data)
        #expect(decoded.problem.code == error?["code"]?.intValue, "\(example.note)")
        #expect(try JSONValueEncoder().encode(decoded).text() == data.text())
        count += 1
      }
    }
    #expect(count >= 6)
  }

  @Test("a state with a null, an unknown status or an unknown intent is refused")
  func refused() throws {
    let decoder = JSONValueDecoder(nullMembers: .refused, unknownMembers: .refused)
    let good = try #require(SchemaBundle.examples(in: "models/").first { $0.file == "login.json" })
    for (name, value) in [
      ("operation", JSONValue.null), ("status", "thinking"), ("can", ["login.fly"]),
    ] {
      var state = try #require(good.value.objectValue)
      state[name] = value
      #expect(throws: (any Error).self, "\(name)") {
        try decoder.decode(LoginSnapshot.self, from: .object(state))
      }
    }
  }
}
