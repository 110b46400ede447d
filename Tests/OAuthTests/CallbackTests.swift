import OAuth
import Testing

@Suite("Where callbacks may arrive")
struct CallbackTests {
  private let grain: CallbackRoute

  init() throws {
    grain = try CallbackRoute(redirectURI: "social.grain:/oauth/callback")
  }

  @Test("a callback's parameters are read as a form, in any order")
  func parameters() throws {
    let url = try CallbackURL(
      "social.grain:/oauth/callback?iss=https%3A%2F%2Fas.test&error=access_denied&x=1&x=2"
        + "&error_description=The+user+rejected%2Bthe+request&state=R4nd0m%7E")
    #expect(grain.matches(url))
    #expect(url.state == "R4nd0m~")
    #expect(url.issuer == "https://as.test")
    #expect(url.error == "access_denied")
    #expect(url.errorDescription == "The user rejected+the request")
    #expect(url.code == nil)
  }

  @Test(
    "only the exact route is taken (A11, A12, A19, A20, G5)",
    arguments: [
      "social.grain://oauth/callback?code=1", "social.grain:/oauth/callback/?code=1",
      "grain://oauth/callback?code=1", "grain:/oauth/callback?code=1",
      "social.grain:/oauth/callback2", "social.grain:/x/oauth/callback",
      "social.grain:oauth/callback",
      "social.grain:/oauth%2Fcallback", "social.grain:///oauth/callback",
      "https://grain.social.evil.tld/oauth/callback", "http://127.0.0.1/oauth/callback",
      "javascript:alert(1)", "file:///oauth/callback", "social.grain:/oauth/../oauth/callback",
      "social.grain.evil:/oauth/callback",
    ])
  func foreignRoutes(text: String) throws {
    #expect(!grain.matches(try CallbackURL(text)))
  }

  @Test("a scheme has no case, a path has")
  func letterCase() throws {
    #expect(grain.matches(try CallbackURL("Social.GRAIN:/oauth/callback?code=1")))
    #expect(!grain.matches(try CallbackURL("social.grain:/OAuth/callback?code=1")))
  }

  @Test("a loopback route names its own port and address, nothing else (FB-A24)")
  func loopback() throws {
    let route = try CallbackRoute(redirectURI: "http://127.0.0.1:4711/callback")
    #expect(route.matches(try CallbackURL("http://127.0.0.1:4711/callback?code=1")))
    for other in [
      "http://127.0.0.1:4712/callback", "http://127.0.0.1/callback",
      "http://localhost:4711/callback",
      "http://[::1]:4711/callback", "https://127.0.0.1:4711/callback", "http://127.0.0.1:4711/",
      "http://127.0.0.1.evil.tld:4711/callback",
    ] {
      #expect(!route.matches(try CallbackURL(other)))
    }
    let root = try CallbackRoute(redirectURI: "http://[::1]:4711")
    #expect(root.matches(try CallbackURL("http://[::1]:4711/?code=1")))
  }

  @Test("routes of other providers: a host with a path, a host alone, a folder of a site (§17)")
  func otherProviders() throws {
    let app = try CallbackRoute(redirectURI: "platrium://auth/callback")
    #expect(app.matches(try CallbackURL("platrium://auth/callback?code=1")))
    #expect(!app.matches(try CallbackURL("platrium://callback?code=1")))
    let short = try CallbackRoute(redirectURI: "platrium://callback")
    #expect(short.matches(try CallbackURL("platrium://callback?code=1")))
    #expect(!short.matches(try CallbackURL("platrium://callback/?code=1")))
    let site = try CallbackRoute(redirectURI: "https://good.test/app", includesPathsBelow: true)
    for inside in ["https://good.test/app", "https://good.test/app/x?code=1"] {
      #expect(site.matches(try CallbackURL(inside)))
    }
    for outside in [
      "https://good.test/apple", "https://good.test.evil.tld/app/x", "https://good.test/app/../x",
      "https://good.test/app/%2e%2e/x", "https://good.test:8443/app",
    ] {
      #expect(!site.matches(try CallbackURL(outside)))
    }
  }

  @Test(
    "what a lenient parser would repair is refused",
    arguments: [
      ("social.grain:/oauth/callback?code=1&code=2", CallbackURL.Invalid.repeatedParameter("code")),
      ("social.grain:/oauth/callback?state=1&st%61te=2", .repeatedParameter("state")),
      ("social.grain:/oauth/callback?iss=1&iss=1", .repeatedParameter("iss")),
      ("social.grain:/oauth/callback?error=1&error=1", .repeatedParameter("error")),
      ("social.grain:/oauth/callback?response=eyJ", .responseObject),
      ("social.grain:/oauth/callback?code=1#state=2", .unexpectedPart),
      ("social.grain://u@oauth/callback", .unexpectedPart),
      ("https://user@grain.social/callback", .unexpectedPart),
      ("social.grain:/oauth/callback?code=%zz", .badEncoding),
      ("social.grain:/oauth/callback?code=%ff", .badEncoding),
      ("social.grain:/oauth/callback?code=a b", .badCharacter),
      ("social.grain:/oauth/callback?code=\u{7f}", .badCharacter),
      ("social.grain:/oauth/callback?code=a\nb", .badCharacter),
      ("social.grain:/oauth/cällback", .badCharacter),
      ("http:/127.0.0.1/callback", .notAURL), ("http://127.0.0.1:x/callback", .notAURL),
      ("http://127.0.0.1:0/", .notAURL), ("http://127.0.0.1:99999/", .notAURL),
      ("http://[::1/callback", .notAURL), ("/oauth/callback?code=1", .notAURL), ("", .notAURL),
      ("1abc:/x", .notAURL),
    ])
  func strict(text: String, problem: CallbackURL.Invalid) {
    #expect(throws: problem) { try CallbackURL(text) }
  }

  @Test("an endless callback is refused")
  func tooLong() {
    #expect(throws: CallbackURL.Invalid.tooLong) {
      try CallbackURL("social.grain:/oauth/callback?code=" + String(repeating: "x", count: 17_000))
    }
  }

  @Test("a callback does not print its code (A21)")
  func redacted() throws {
    let url = try CallbackURL("social.grain:/oauth/callback?code=topsecret")
    var dumped = ""
    dump(url, to: &dumped)
    #expect(!"\(url) \(String(reflecting: url)) \(dumped)".contains("topsecret"))
  }

  @Test("a redirect with a query, or without a path, is no route")
  func badRoutes() {
    for text in ["social.grain:/cb?x=1", "social.grain:cb", "cb", "https://a.test/#x"] {
      #expect(throws: CallbackRoute.Invalid.self) { try CallbackRoute(redirectURI: text) }
    }
  }
}
