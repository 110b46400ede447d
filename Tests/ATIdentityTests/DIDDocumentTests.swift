import ATIdentity
import ATSyntax
import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite("What a DID document says")
struct DIDDocumentTests {
  private func document(
    _ members: String, development: Bool = false
  ) throws -> DIDDocument {
    let text = #"{"id":"\#(IdentityFixture.alice)",\#(members)}"#
    return try DIDDocument(
      json: JSONParser.parse(Array(text.utf8)), expecting: DID(IdentityFixture.alice),
      allowInsecureLoopback: development)
  }

  private func home(
    id: String = "#atproto_pds", type: String = "AtprotoPersonalDataServer", endpoint: String
  ) -> String {
    #"{"id":"\#(id)","type":"\#(type)","serviceEndpoint":\#(endpoint)}"#
  }

  @Test("the home server is found under both spellings of its id, the first of two (FB-A18)")
  func spellings() throws {
    let relative = home(endpoint: #""https://a.test""#)
    let full = home(id: "\(IdentityFixture.alice)#atproto_pds", endpoint: #""https://b.test/""#)
    #expect(try document(#""service":[\#(relative)]"#).pds?.absoluteString == "https://a.test")
    #expect(try document(#""service":[\#(full)]"#).pds?.absoluteString == "https://b.test")
    #expect(
      try document(#""service":[\#(full),\#(relative)]"#).pds?.absoluteString == "https://b.test")
  }

  @Test("no entry, a labeler, a looser id or another type is no home server (G11, FB-A18)")
  func noHome() throws {
    let endpoint = #""https://a.test""#
    for service in [
      "", home(id: "#atproto_labeler", type: "AtprotoLabeler", endpoint: endpoint),
      home(id: "#atproto_pds", type: "AtprotoLabeler", endpoint: endpoint),
      home(id: "atproto_pds", endpoint: endpoint), home(id: "x#atproto_pds", endpoint: endpoint),
      home(id: "did:plc:other#atproto_pds", endpoint: endpoint), "7", "null",
    ] {
      #expect(try document(#""service":[\#(service)]"#).pds == nil)
    }
    #expect(try document(#""alsoKnownAs":[]"#).pds == nil)
    #expect(try document(#""service":{}"#).pds == nil)
  }

  @Test(
    "an endpoint is an https origin and nothing more",
    arguments: [
      (#""https://a.test:8443""#, "https://a.test:8443"), (#""https://A.Test/""#, "https://a.test"),
      (#""https://a.test:443""#, "https://a.test"), (#""http://a.test""#, nil),
      (#""https://a.test/x""#, nil), (#""https://a.test//""#, nil), (#""https://u@a.test""#, nil),
      (#""https://a.test?x""#, nil),
      (#""https://a.test/#x""#, nil), (#""javascript:alert(1)""#, nil), ("{}", nil),
      (#"["https://a.test"]"#, nil), (#""http://localhost:2583""#, nil),
    ])
  func endpoints(endpoint: String, origin: String?) throws {
    #expect(
      try document(#""service":[\#(home(endpoint: endpoint))]"#).pds?.absoluteString == origin)
  }

  @Test("in development a home server may be at http on this machine")
  func development() throws {
    let service = home(endpoint: #""http://localhost:2583""#)
    #expect(
      try document(#""service":[\#(service)]"#, development: true).pds?.absoluteString
        == "http://localhost:2583")
    let lan = home(endpoint: #""http://192.168.1.2""#)
    #expect(try document(#""service":[\#(lan)]"#, development: true).pds == nil)
  }

  @Test("the first alias that is a handle by its grammar counts, without regard to case (FB-A21)")
  func aliases() throws {
    let list = #"["https://x.test","at://under_score","at://ALICE.Test","at://second.test"]"#
    let read = try document(#""alsoKnownAs":\#(list)"#)
    #expect(read.handle?.rawValue == "alice.test")
    #expect(read.alsoKnownAs.count == 4)
    #expect(try document(#""alsoKnownAs":null"#).handle == nil)
  }

  @Test(
    "published documents are read",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)),
    arguments: [
      (
        "did_plc_doc.json", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "https://bsky.social", "atproto.com"
      ),
      (
        "did_plc_doc_legacy.json", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "https://bsky.social",
        "atproto.com"
      ),
      ("did_web_doc.json", "did:web:discover.bsky.social", nil, nil),
    ])
  func published(file: String, did: String, pds: String?, handle: String?) throws {
    let bytes = try Data(contentsOf: SharedData.url("atproto/did-documents/\(file)"))
    let document = try DIDDocument(json: JSONParser.parse(Array(bytes)), expecting: DID(did))
    #expect(document.pds?.absoluteString == pds)
    #expect(document.handle?.rawValue == handle)
  }
}
