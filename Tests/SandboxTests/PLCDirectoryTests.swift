import ATSyntax
import Foundation
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite struct PLCDirectoryTests {
  private func document(_ visit: SandboxVisit, _ did: DID) async throws -> Answer {
    try await visit.send("GET", "\(visit.network.addresses.plc.absoluteString)/\(did)")
  }

  @Test("an account's document names its handle, its key and its server (wire §2.1)")
  func document() async throws {
    try await SandboxVisit.run { visit in
      let answer = try await document(visit, visit.alice)
      #expect(answer.headers["Content-Type"] == "application/did+ld+json; charset=utf-8")
      #expect(answer["id"] == .string(visit.alice.rawValue))
      #expect(answer["alsoKnownAs"] == ["at://alice.test"])
      let pds = visit.network.addresses.pds.absoluteString
      #expect(
        answer["service"] == [
          [
            "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
            "serviceEndpoint": .string(pds),
          ]
        ])
      let key = answer["verificationMethod"]?.arrayValue?.first
      #expect(key?["id"] == .string("\(visit.alice)#atproto"))
      #expect(key?["publicKeyMultibase"]?.stringValue?.hasPrefix("zDn") == true)
      #expect(visit.alice.isBlessed)
    }
  }

  @Test("an identity nobody registered, and one that is gone, do not exist")
  func missing() async throws {
    try await SandboxVisit.run { visit in
      let stranger = try DID("did:plc:aaaabbbbccccddddeeeeffff")
      let answer = try await document(visit, stranger)
      #expect(answer.status == 404)
      #expect(answer["message"] == .string("DID not registered: \(stranger)"))
      let malformed = try await visit.send(
        "GET", "\(visit.network.addresses.plc.absoluteString)/alice.test")
      #expect(malformed.status == 400)
      let escaped = visit.alice.rawValue.replacing(":", with: "%3A")
      let spelt = try await visit.send(
        "GET", "\(visit.network.addresses.plc.absoluteString)/\(escaped)")
      #expect(spelt.status == 200)
    }
  }

  @Test("documents come in every form clients must cope with (wire §16.11)")
  func variations() async throws {
    try await SandboxVisit.run { visit in
      visit.network.plcDirectory.vary {
        $0.absoluteIDs = true
        $0.trailingSlash = true
      }
      let service = try await document(visit, visit.alice)["service"]?.arrayValue?.first
      #expect(service?["id"] == .string("\(visit.alice)#atproto_pds"))
      #expect(service?["serviceEndpoint"]?.stringValue?.hasSuffix("/") == true)
      visit.network.plcDirectory.vary {
        $0.replacements[visit.alice] = ["id": "did:web:evil.example"]
      }
      #expect(try await document(visit, visit.alice)["id"] == "did:web:evil.example")
    }
  }

  @Test("an operation nobody entitled signed, or that names another identity, is refused")
  func refusedOperations() async throws {
    try await SandboxVisit.run { visit in
      let operation: JSONObject = [
        "type": "plc_operation", "rotationKeys": [], "verificationMethods": [:],
        "alsoKnownAs": ["at://mallory.test"], "services": [:], "prev": .null, "sig": "AAAA",
      ]
      for did in [visit.alice.rawValue, "did:plc:aaaabbbbccccddddeeeeffff"] {
        let answer = try await visit.send(
          "POST", "\(visit.network.addresses.plc.absoluteString)/\(did)",
          headers: ["Content-Type": "application/json"],
          body: .bytes(JSONValue.object(operation).serialized()))
        #expect(answer.status == 400)
      }
      #expect(try await document(visit, visit.alice)["alsoKnownAs"] == ["at://alice.test"])
    }
  }
}
