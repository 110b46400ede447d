import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Platrium: the question to the person")
struct PlatriumConsentTests {
  @Test("a signed-out person comes back to the question after the login, and to nowhere else (P12)")
  func loginLeadsBack() async throws {
    let rig = try await TokenServiceRig()
    let page = TokenServiceRig.page()
    let first = await rig.send("GET", page)
    #expect(first.status == 303)
    let login = try #require(first.headers["Location"])
    #expect(login.hasPrefix("/login?next="))
    let form = await rig.send("GET", login)
    let wrong = try await rig.submit(form, "/login", cookie: try form.newCookie) {
      $0.fill("email", "alice@example.com")
      $0.fill("password", "wrong")
    }
    #expect(wrong.status == 400)
    #expect(wrong.text.contains("Wrong e-mail or password"))
    let (cookie, location) = try await rig.logIn(next: page)
    #expect(location == page)
    let question = await rig.send("GET", page, headers: ["Cookie": cookie])
    #expect(question.status == 200)
    #expect(question.text.contains("Alice’s phone wants to use your account"))
    #expect(question.text.contains("alice@example.com"))
    for elsewhere in [
      "https://evil.example/", "//evil.example/authorize?", "/\\evil.example", "/authorize.evil?",
      "/api/auth/clients", "",
    ] {
      #expect(try await rig.logIn(next: elsewhere).location == "/devices")
    }
  }

  @Test("a yes gives a code with the state, a no an error with the state (P15)")
  func answers() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    for decision in ["allow", "deny"] {
      let page = await rig.send("GET", TokenServiceRig.page(), headers: ["Cookie": cookie])
      let answer = try await rig.submit(page, "/authorize", cookie: cookie) {
        $0.press("decision", decision)
      }
      #expect(answer.status == 303)
      let callback = try #require(answer.headers["Location"].flatMap { URL(string: $0) })
      #expect(callback.absoluteString.hasPrefix("platrium://auth/callback?"))
      #expect(callback.field("state") == "the state & more")
      #expect((callback.field("code") != nil) == (decision == "allow"))
      #expect(callback.field("error") == (decision == "deny" ? "access_denied" : nil))
      #expect(callback.field("token") == nil)
    }
    #expect(try await rig.count("platrium_codes") == 1)
  }

  @Test("a token cannot approve another client, whatever cookie comes with it (P13, P30)")
  func tokensCannotApprove() async throws {
    let rig = try await TokenServiceRig()
    let token = try await rig.token()
    let cookie = try await rig.logIn().cookie
    let body = JSONObject(TokenServiceRig.question().map { ($0.0, JSONValue.string($0.1)) })
    #expect(await rig.call("POST", "authorize", token: token, body).status == 403)
    #expect(await rig.call("POST", "authorize", token: token, cookie: cookie, body).status == 403)
    #expect(await rig.call("POST", "authorize", token: "plt_x", cookie: cookie, body).status == 401)
    #expect(await rig.call("POST", "authorize", body).status == 401)
    let form = await rig.send(
      "POST", "/api/auth/authorize",
      headers: [
        "Authorization": "Bearer \(token)", "Cookie": cookie,
        "Content-Type": FormURLEncoding.mediaType,
      ], body: FormURLEncoding.encode(TokenServiceRig.question()))
    #expect(form.status == 403)
    #expect(try await rig.count("platrium_codes") == 0)
  }

  @Test("another site cannot press Allow, log anybody in or out, or make a token")
  func foreignForms() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    let page = await rig.send("GET", TokenServiceRig.page(), headers: ["Cookie": cookie])
    let good = try PageText(page.text).form("/authorize").fields + [("decision", "allow")]
    let otherCookie = try await rig.logIn().cookie
    let body = FormURLEncoding.encode(good)
    let json = JSONValue.object(
      JSONObject(TokenServiceRig.question().map { ($0.0, .string($0.1)) })
    ).serialized()
    let form: HTTPHeaders = ["Cookie": cookie, "Content-Type": FormURLEncoding.mediaType]
    func changed(_ name: String, _ value: String, _ base: HTTPHeaders? = nil) -> HTTPHeaders {
      var headers = base ?? form
      headers[name] = value
      return headers
    }
    let typed: HTTPHeaders = ["Cookie": cookie, "Content-Type": "application/json"]
    let refused: [(HTTPHeaders, [UInt8], Int)] = [
      (changed("Origin", "https://evil.example"), body, 403),
      (changed("Sec-Fetch-Site", "cross-site"), body, 403),
      (changed("Cookie", otherCookie), body, 403),
      (form, FormURLEncoding.encode(good.filter { $0.0 != "csrf_token" }), 403),
      (changed("Origin", "https://evil.example", typed), json, 403),
      (changed("Sec-Fetch-Site", "same-site", typed), json, 403),
      (changed("Content-Type", "text/plain"), json, 415),
    ]
    for (headers, body, status) in refused {
      let answer = await rig.send("POST", "/api/auth/authorize", headers: headers, body: body)
      #expect(answer.status == status, "\(answer.text)")
      #expect(answer.headers["Location"] == nil)
    }
    for path in ["/login", "/logout", "/devices/create", "/devices/revoke"] {
      let answer = await rig.send(
        "POST", path, headers: form, body: FormURLEncoding.encode([("name", "x")]))
      #expect(answer.status == 403)
    }
    let made = await rig.call(
      "POST", "clients", cookie: cookie, ["name": "x"], headers: ["Origin": "https://evil.example"])
    #expect(made.status == 403)
    #expect(try await rig.count("platrium_codes") == 0)
    #expect(try await rig.count("platrium_auth_tokens") == 0)
  }

  @Test("a question that cannot be answered is refused before anybody logs in for it (P23)")
  func badQuestions() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    let questions: [[String: String?]] = [
      ["redirect_uri": "https://evil.example/"], ["redirect_uri": nil], ["code_challenge": nil],
      ["code_challenge": "short"], ["code_challenge_method": "plain"],
      ["code_challenge_method": nil], ["state": nil], ["name": nil], ["name": "a\u{0}b"],
      ["platform": "ios phone"],
    ]
    for changes in questions {
      for headers: HTTPHeaders in [[:], ["Cookie": cookie]] {
        let page = await rig.send("GET", TokenServiceRig.page(changes), headers: headers)
        #expect(page.status == 400, "\(changes)")
        #expect(page.headers["Location"] == nil)
        #expect(page.text.contains("This cannot go on"))
      }
      let body = JSONObject(TokenServiceRig.question(changes).map { ($0.0, .string($0.1)) })
      let answer = await rig.call("POST", "authorize", cookie: cookie, body)
      #expect(answer.status == 400)
      #expect(
        try answer.json["error"]
          == (changes["redirect_uri"] == "https://evil.example/"
            ? "invalid_redirect" : "invalid_request"))
    }
    #expect(try await rig.count("platrium_codes") == 0)
  }

  @Test("names are text, never markup")
  func markup() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    let page = await rig.send(
      "GET", TokenServiceRig.page(["name": "<script>alert(1)</script>"]),
      headers: ["Cookie": cookie])
    #expect(page.status == 200)
    #expect(!page.text.contains("<script"))
    #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
  }

  @Test("cookies carry the port, and neither scripts nor other sites get at them")
  func cookies() async throws {
    let rig = try await TokenServiceRig()
    let page = await rig.send("GET", "/login")
    let cookie = try #require(page.headers["Set-Cookie"])
    #expect(cookie.hasPrefix("platrium-2590="))
    #expect(cookie.contains("; HttpOnly; SameSite=Lax"))
    // The one before the login is worth nothing after it.
    let before = try page.newCookie
    _ = try await rig.submit(page, "/login", cookie: before) {
      $0.fill("email", "alice@example.com")
      $0.fill("password", "sandbox")
    }
    #expect(await rig.call("GET", "me", cookie: before).status == 401)
  }
}
