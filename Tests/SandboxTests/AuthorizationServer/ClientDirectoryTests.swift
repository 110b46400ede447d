import Foundation
import GrainTestSupport
import HTTPTransport
import StrictJSON
import SystemClients
import Testing

@testable import Sandbox

@Suite("Client documents")
struct ClientDirectoryTests {
  private let id = AuthorizationRig.clientID
  private let clock = TestClock()

  /// What the directory says of a document served this way.
  private func outcome(_ answer: ScriptedHTTP.Answer, id: String? = nil) async -> String {
    let directory = ClientDirectory(http: ScriptedHTTP(answer).client, clock: clock.clock)
    do {
      _ = try await directory.client(id ?? self.id)
      return "taken"
    } catch {
      return "\(error.error): \(error.description)"
    }
  }

  private func outcome(_ change: (inout JSONObject) -> Void) async -> String {
    var document = AuthorizationRig.clientDocument
    change(&document)
    return await outcome(.json(JSONValue.object(document).text()))
  }

  @Test("a document as the specification has it is taken, and its rules with it")
  func taken() async throws {
    let http = ScriptedHTTP(.json(JSONValue.object(AuthorizationRig.clientDocument).text()))
    let client = try await ClientDirectory(http: http.client, clock: clock.clock).client(id)
    #expect(client.redirectURIs == [AuthorizationRig.redirect, "http://127.0.0.1/cb"])
    #expect(client.scope.prefix(2) == ["atproto", "repo:social.grain.photo"])
    let request = try #require(http.requests.first)
    #expect(request.url.absoluteString == id)
    #expect(request.headers["Accept"] == "application/json")
    #expect(request.maximumBodyBytes == 512 * 1024)
  }

  @Test("a document is kept ten minutes, a failure not at all")
  func cache() async throws {
    let good = ScriptedHTTP.Answer.json(
      JSONValue.object(AuthorizationRig.clientDocument).text())
    let http = ScriptedHTTP(.status(503), good, good)
    let directory = ClientDirectory(http: http.client, clock: clock.clock)
    await #expect(throws: OAuthRefusal.self) { try await directory.client(id) }
    _ = try await directory.client(id)
    await clock.advance(by: .seconds(599))
    _ = try await directory.client(id)
    #expect(http.requests.count == 2)
    await clock.advance(by: .seconds(2))
    _ = try await directory.client(id)
    #expect(http.requests.count == 3)
  }

  @Test("what cannot be fetched or read is an unavailable document (G68)")
  func unavailable() async {
    let prefix = "invalid_client_metadata: Unable to obtain client metadata for \"\(id)\": "
    #expect(await outcome(.status(302)) == prefix + "Unexpected status code 302")
    #expect(await outcome(.failure(.timeout)) == prefix + "timeout")
    #expect(await outcome(.json("[]")) == prefix + "Expected object")
    #expect(await outcome(.json("{")) == prefix + "Unable to parse response as JSON")
    #expect(
      await outcome(.json("{}", headers: ["Content-Type": "application/jrd+json"]))
        == prefix + "Unexpected response Content-Type (application/jrd+json)")
  }

  @Test(
    "an id is an https address with a path of its own",
    arguments: [
      "https://app.sandbox-host.dev", "https://app.sandbox-host.dev/",
      "https://app.sandbox-host.dev/a/", "https://app.sandbox-host.dev/a#b",
      "https://u@app.sandbox-host.dev/a", "https://127.0.0.1/a", "http://app.sandbox-host.dev/a",
      "https://app.sandbox-host.dev/a/../b", "https://app.sandbox-host.dev//a",
    ])
  func address(id: String) async {
    let outcome = await outcome(.status(500), id: id)
    #expect(outcome.hasPrefix("invalid_client_metadata: Invalid "))
  }

  @Test("a name below a reserved top-level domain is fetched: the one rule the sandbox lifts")
  func reservedName() async {
    let id = "https://grain.test/client.json"
    #expect(await outcome(.status(500), id: id).contains("Unexpected status code 500"))
  }

  @Test("each rule on the document is enforced with a reason")
  func rules() async {
    let metadata = "invalid_client_metadata: "
    let redirect = "invalid_redirect_uri: "
    #expect(await outcome { _ in } == "taken")
    #expect(
      await outcome { $0["client_id"] = nil }
        == metadata + "client_id is required for discoverable clients")
    #expect(await outcome { $0["client_id"] = "x" } == metadata + "client_id does not match")
    #expect(await outcome { $0["scope"] = nil } == metadata + "Missing scope property")
    #expect(await outcome { $0["scope"] = "x:y" } == metadata + "Missing \"atproto\" scope")
    #expect(
      await outcome { $0["scope"] = "atproto x:y x:y" } == metadata + "Duplicate scope \"x:y\"")
    #expect(
      await outcome { $0["grant_types"] = ["authorization_code", "password"] }
        == metadata + "Grant type \"password\" is not supported")
    #expect(
      await outcome { $0["grant_types"] = ["refresh_token"] }
        == metadata + "Response type \"code\" requires the \"authorization_code\" grant type")
    #expect(
      await outcome { $0["response_types"] = ["code", "token"] }
        == metadata + "Unsupported response type \"token\"")
    #expect(
      await outcome { $0["dpop_bound_access_tokens"] = nil }
        == metadata + "\"dpop_bound_access_tokens\" must be true")
    #expect(
      await outcome { $0["token_endpoint_auth_method"] = nil }
        == metadata + "Missing token_endpoint_auth_method client metadata")
    #expect(
      await outcome { $0["token_endpoint_auth_signing_alg"] = "ES256" } == metadata
        + "token_endpoint_auth_method \"none\" must not have token_endpoint_auth_signing_alg")
    #expect(
      await outcome { $0["redirect_uris"] = [] }
        == metadata + "At least one redirect_uri is required")
    #expect(
      await outcome { $0["application_type"] = nil }
        == redirect + "Private-Use URI Scheme redirect URI are only allowed for native apps")
    #expect(
      await outcome { $0["redirect_uris"] = ["social.grain:/cb"] }.hasSuffix(
        "in reverse order (dev.sandbox-host.app:)"))
    #expect(
      await outcome { $0["redirect_uris"] = ["https://elsewhere.dev/cb"] }.hasPrefix(
        redirect + "Redirect URI https://elsewhere.dev/cb must be under the same domain"))
    #expect(
      await outcome { $0["redirect_uris"] = ["http://localhost/cb"] }.hasPrefix(
        redirect + "Loopback redirect URI http://localhost/cb is not allowed"))
    #expect(
      await outcome { $0["client_uri"] = "https://sandbox-host.dev" }
        == metadata + "client_uri must have the same origin as the client_id")
    #expect(
      await outcome { $0["client_uri"] = "https://app.sandbox-host.dev/about" }
        == metadata + "client_uri must be a parent URL of the client_id")
  }
}

@Suite("Redirect URIs")
struct RedirectTargetTests {
  @Test(
    "registered and requested URIs are compared as text; loopback ports may differ",
    arguments: [
      ("dev.app:/cb", "dev.app:/cb", true), ("dev.app:/cb", "dev.app:/cb/", false),
      ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", true),
      ("http://127.0.0.1", "http://127.0.0.1:5000/", true),
      ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5000/cb", true),
      ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5001/cb", false),
      ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb?x=1", false),
      ("http://127.0.0.1/cb", "http://[::1]:5000/cb", false),
      ("http://[::1]/cb", "http://[::1]:5000/cb", true),
      ("https://a.dev/cb", "https://a.dev:443/cb", false),
    ])
  func matching(registered: String, requested: String, expected: Bool) {
    #expect(
      RedirectTarget.matches(registered: registered, requested: requested) == expected)
  }

  @Test(
    "anything else is no redirect URI",
    arguments: [
      "cb", "mailto:a@b.dev", "dev.app:cb", "dev.app://cb", "http://a.dev/cb", "https://",
      "https://u:p@a.dev/cb", "http://localhost/cb", "https://127.0.0.1/cb", "dev.app:/ü",
    ])
  func refused(text: String) {
    #expect(throws: OAuthRefusal.self) { try RedirectTarget(text) }
  }
}
