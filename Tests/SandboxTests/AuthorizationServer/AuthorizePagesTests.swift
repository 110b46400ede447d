import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import StrictJSON
import Testing

@testable import Sandbox

@Suite("The pages in the browser")
struct AuthorizePagesTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  private func open(_ url: URL, headers: HTTPHeaders = [:]) async throws -> HTTPServerResponse {
    let target = url.path() + "?" + (url.query(percentEncoded: true) ?? "")
    return try await rig.send("GET", target, headers: headers)
  }

  private func allow(
    _ url: URL, by visitor: SandboxVisitor? = nil, password: String = "sandbox"
  ) async throws -> URL {
    try await (visitor ?? rig.visitor()).approve(
      authorizationURL: url, handle: "alice.test", password: password)
  }

  @Test("a person signs in, allows, and is sent back with state, issuer and a code")
  func allowed() async throws {
    let callback = try await allow(rig.push())
    let text = callback.absoluteString
    #expect(
      text.wholeMatch(
        of:
          /dev\.sandbox-host\.app:\/callback\?state=state-1&iss=http%3A%2F%2F127\.0\.0\.1%3A2583&code=cod-GRAINCANARY[0-9a-f]{53}/
      ) != nil, "\(text)")
  }

  @Test("a person who denies is sent back with access_denied in web-form spelling (FB-A13)")
  func denied() async throws {
    let callback = try await rig.visitor().deny(
      authorizationURL: rig.push(), handle: "alice.test", password: "sandbox")
    #expect(
      callback.absoluteString.hasSuffix(
        "?state=state-1&iss=http%3A%2F%2F127.0.0.1%3A2583&error=access_denied"
          + "&error_description=The+user+rejected+the+request"))
  }

  @Test("Cancel before signing in tells the client too, and ends the request")
  func cancelled() async throws {
    let url = try await rig.push()
    let callback = try await rig.visitor().cancel(authorizationURL: url)
    #expect(callback.field("error") == "access_denied")
    #expect(try await open(url).text.contains("Unknown request_uri"))
  }

  @Test("the sign-in form holds the hinted handle, works by keyboard, and no script is needed")
  func form() async throws {
    let page = try await open(rig.push())
    #expect(page.status == 200)
    #expect(page.text.contains("name=\"identifier\" value=\"alice.test\""))
    #expect(page.text.contains("autocomplete=\"current-password\""))
    #expect(!page.text.contains("<script"))
    #expect(page.text.contains("prefers-color-scheme: dark"))
    #expect(page.headers["Cache-Control"] == "no-store")
    #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
    #expect(page.headers["Content-Security-Policy"]?.contains("form-action") == false)
    #expect(page.headers["X-Frame-Options"] == "DENY")
  }

  @Test("names a client chose for itself stay text")
  func escaping() async throws {
    let page = try await open(rig.push())
    #expect(page.text.contains("Grain &lt;test&gt;"))
    #expect(!page.text.contains("<test>"))
  }

  @Test("a wrong password is said on the page, and the next try can be right")
  func wrongPassword() async throws {
    let url = try await rig.push()
    let visitor = rig.visitor()
    await #expect(
      throws: SandboxVisitor.Failure.stopped(
        "Wrong handle or password. Check both and try again.")
    ) { try await allow(url, by: visitor, password: "wrong") }
    #expect(try await allow(url, by: visitor).field("code") != nil)
  }

  @Test("a handle may be typed with an @, without its domain, or as an e-mail address")
  func spellings() async throws {
    for name in ["@Alice.test", "alice", "alice@mail.test", FakeDirectory.alice] {
      let callback = try await rig.visitor().approve(
        authorizationURL: rig.push(), handle: name, password: "sandbox")
      #expect(callback.field("code") != nil, "\(name)")
    }
  }

  @Test("an unknown request is a page, not a redirect")
  func unknown() async throws {
    let id = String(repeating: "0", count: 32)
    let url = try rig.address(requestURI: "urn:ietf:params:oauth:request_uri:req-\(id)")
    let page = try await open(url)
    #expect(page.status == 400)
    #expect(page.text.contains("data-error=\"invalid_request\""))
    #expect(page.text.contains("This sign-in link is used up"))
    let strange = try await open(rig.address(requestURI: "urn:x"))
    #expect(strange.text.contains("Invalid request_uri format"))
  }

  @Test("an expired request redirects with access_denied for ten minutes, then is unknown")
  func expired() async throws {
    let url = try await rig.push()
    await rig.clock.advance(by: .seconds(301))
    let first = try await open(url)
    #expect(
      first.headers["Location"]
        == "dev.sandbox-host.app:/callback?iss=http%3A%2F%2F127.0.0.1%3A2583&state=state-1"
        + "&error=access_denied&error_description=This+request+has+expired")
    #expect(first.status == 303)
    #expect(try await open(url).status == 400)
    rig.forgetNonce()
    let late = try await rig.push()
    await rig.clock.advance(by: .seconds(901))
    rig.forgetNonce()
    _ = try await rig.push()
    #expect(try await open(late).text.contains("Unknown request_uri"))
  }

  @Test("each load of the page starts the five minutes anew")
  func sliding() async throws {
    let url = try await rig.push()
    let visitor = rig.visitor()
    for _ in 0..<3 {
      await rig.clock.advance(by: .seconds(299))
      await #expect(throws: SandboxVisitor.Failure.self) {
        try await allow(url, by: visitor, password: "wrong")
      }
    }
    #expect(try await allow(url, by: visitor).field("code") != nil)
  }

  @Test("another browser kills the request (wire §7.1)")
  func otherBrowser() async throws {
    let url = try await rig.push()
    _ = try await open(url)
    let callback = try await allow(url)
    #expect(callback.field("error") == "access_denied")
    #expect(
      callback.field("error_description") == "This request was initiated from another device")
    #expect(try await open(url).status == 400)
  }

  @Test("a load after approval kills the code already issued")
  func afterApproval() async throws {
    let url = try await rig.push()
    let visitor = rig.visitor()
    let code = try #require(try await allow(url, by: visitor).field("code"))
    let again = try await allow(url, by: visitor)
    #expect(again.field("error_description") == "This request was already authorized")
    let response = try await rig.signedPost("/oauth/token", AuthorizationRig.codeFields(code))
    #expect(response.outcome == "400 invalid_grant: Invalid code")
  }

  @Test("another client's name in the address kills the request")
  func otherClient() async throws {
    let id = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&scope=atproto"
    let response = try await rig.signedPost("/oauth/par", AuthorizationRig.pushFields())
    let uri = try #require(try response.json["request_uri"]?.stringValue)
    let page = try await open(rig.address(requestURI: uri, ["client_id": id]))
    #expect(
      page.headers["Location"]?.contains("This+request+was+initiated+for+another+client") == true)
  }

  @Test("a form counts only with the value its page gave to this browser for this request")
  func forgedForm() async throws {
    let url = try await rig.push()
    let visited = try await open(url)
    let cookies = visited.headers.all("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
    let page = PageText(visited.text)
    var form = try #require(page.forms.first { $0.action.hasSuffix("/sign-in") })
    form.fill("identifier", "alice.test")
    form.fill("password", "sandbox")
    func submit(_ headers: HTTPHeaders, token: String? = nil) async throws -> HTTPServerResponse {
      var headers = headers
      headers["Content-Type"] = "application/x-www-form-urlencoded"
      var form = form
      if let token { form.fill("csrf_token", token) }
      return try await rig.send(
        "POST", form.action, headers: headers, body: FormURLEncoding.encode(form.fields))
    }
    let cookie = cookies.joined(separator: "; ")
    #expect(try await submit([:]).status == 403)
    #expect(try await submit(["Cookie": cookie], token: "x").status == 403)
    for (name, value) in [
      ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "iframe"),
      ("Origin", "https://evil.dev"), ("Origin", "null"),
    ] {
      var headers: HTTPHeaders = ["Cookie": cookie]
      headers[name] = value
      let refused = try await submit(headers)
      #expect(refused.status == 400, "\(name): \(value)")
      #expect(refused.text.contains("Forbidden \(name.lowercased()) header"))
    }
    let good = try await submit(["Cookie": cookie, "Sec-Fetch-Site": "same-origin"])
    #expect(good.status == 303)
    #expect(good.headers["Location"]?.hasPrefix("/oauth/authorize?") == true)
  }

  @Test("the page opens from anywhere, but only as a page")
  func navigation() async throws {
    for site in ["none", "cross-site", "same-site", "same-origin"] {
      #expect(try await open(rig.push(), headers: ["Sec-Fetch-Site": site]).status == 200)
    }
    for (name, value) in [("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Mode", "no-cors")] {
      var headers = HTTPHeaders()
      headers[name] = value
      #expect(try await open(rig.push(), headers: headers).status == 400)
    }
  }

  @Test("unticked permissions are not in the grant (G110)")
  func unticked() async throws {
    let tokens = try await rig.tokens(unticking: ["account:email", "blob:image/*"])
    #expect(
      tokens.scope == "atproto repo:social.grain.photo rpc:*?aud=did:web:api.sandbox-host.dev%23svc"
    )
  }

  @Test("the consent page lists readable permissions; only atproto cannot be left out")
  func consent() async throws {
    let url = try await rig.push()
    let page = try await consentPage(url)
    for words in ["Know who you are", "Your photos", "Upload pictures", "Your e-mail address"] {
      #expect(page.contains(words), "\(words)")
    }
    #expect(page.contains("@alice.test"))
    #expect(page.contains("<input type=\"hidden\" name=\"scope\" value=\"atproto\">"))
    #expect(page.matches(of: /type="checkbox" name="scope"/).count == 4)
  }

  @Test("set up as the reference server, only the e-mail address can be left out")
  func consentAsReference() async throws {
    let rig = try AuthorizationRig(settings: AuthorizationSettings(consentChoices: .asReference))
    let page = try await consentPage(rig.push(), rig)
    #expect(page.matches(of: /type="checkbox" name="scope"/).count == 1)
  }

  /// Signs in by hand and reads the page that asks.
  private func consentPage(_ url: URL, _ rig: AuthorizationRig? = nil) async throws -> String {
    let rig = rig ?? self.rig
    let target = url.path() + "?" + (url.query(percentEncoded: true) ?? "")
    let first = try await rig.send("GET", target)
    let cookie = first.headers.all("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
      .joined(separator: "; ")
    var form = try #require(
      PageText(first.text).forms.first { $0.action.hasSuffix("/sign-in") })
    form.fill("identifier", "alice.test")
    form.fill("password", "sandbox")
    let headers: HTTPHeaders = [
      "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded",
    ]
    _ = try await rig.send(
      "POST", form.action, headers: headers, body: FormURLEncoding.encode(form.fields))
    return try await rig.send("GET", target, headers: ["Cookie": cookie]).text
  }

  @Test("prompt=create makes an account and signs it in")
  func created() async throws {
    let url = try await rig.push(["prompt": "create", "login_hint": nil])
    let callback = try await rig.visitor().signUp(
      authorizationURL: url, handle: "dora", email: "dora@mail.test", password: "long enough")
    let code = try #require(callback.field("code"))
    let tokens = try Tokens(
      await rig.signedPost("/oauth/token", AuthorizationRig.codeFields(code)))
    #expect(tokens.subject == "did:plc:ccccddddeeeeffffgggghhhh")
  }

  @Test("a handle that is taken is said on the page")
  func taken() async throws {
    let url = try await rig.push(["prompt": "create"])
    await #expect(
      throws: SandboxVisitor.Failure.stopped("“alice.test” is taken. Try another handle.")
    ) {
      try await rig.visitor().signUp(
        authorizationURL: url, handle: "alice", email: "a@mail.test", password: "x")
    }
  }

  @Test("a deactivated account is sent back, a taken-down one told so on the page (wire §13)")
  func standing() async throws {
    rig.directory.set(.deactivated, of: FakeDirectory.alice)
    let callback = try await allow(rig.push())
    #expect(callback.field("error") == "access_denied")
    #expect(callback.field("error_description") == "This account has been deactivated")
    rig.directory.set(.takendown, of: FakeDirectory.alice)
    await #expect(
      throws: SandboxVisitor.Failure.stopped(
        "This account is not available: it was taken down by its server.")
    ) { try await allow(rig.push()) }
  }

  @Test("a fragment and a self-sending form carry the answer where they were asked for")
  func responseModes() async throws {
    let fragment = try await allow(rig.push(["response_mode": "fragment"]))
    #expect(fragment.absoluteString.hasPrefix("dev.sandbox-host.app:/callback#state=state-1&iss="))
    let url = try await rig.push(["response_mode": "form_post"])
    await #expect(throws: SandboxVisitor.Failure.stopped("Going back to the app")) {
      try await allow(url)
    }
  }

  @Test(
    "the answer goes exactly to the address the client named",
    arguments: ["http://127.0.0.1:54321/cb", "http://127.0.0.1:54321/a/b?c=d", "http://[::1]:9/"])
  func loopbackPath(redirect: String) async throws {
    let form = FormURLEncoding.encodeText([("redirect_uri", redirect), ("scope", "atproto")])
    let callback = try await allow(
      rig.push([
        "client_id": "http://localhost?\(form)", "redirect_uri": redirect, "scope": "atproto",
      ]))
    let separator = redirect.contains("?") ? "&" : "?"
    #expect(callback.absoluteString.hasPrefix(redirect + separator + "state=state-1&iss="))
  }

  @Test("a loopback redirect keeps its query and gets its slash")
  func loopbackRedirect() async throws {
    let redirect = "http://127.0.0.1?a=b"
    let id = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3Fa%3Db&scope=atproto"
    let url = try await rig.push([
      "client_id": id, "redirect_uri": redirect, "scope": "atproto", "state": "a b~",
    ])
    let callback = try await allow(url)
    #expect(callback.absoluteString.hasPrefix("http://127.0.0.1/?a=b&state=a+b%7E&iss="))
  }
}
