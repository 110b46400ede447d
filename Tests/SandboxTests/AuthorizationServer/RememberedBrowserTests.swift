import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import Testing

@testable import Sandbox

@Suite("A browser that remembers")
struct RememberedBrowserTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  /// A browser made by hand: cookies and forms.
  private final class Browser {
    let rig: AuthorizationRig
    var cookie = ""

    init(_ rig: AuthorizationRig) { self.rig = rig }

    func open(_ target: String) async throws -> HTTPServerResponse {
      let response = try await rig.send("GET", target, headers: ["Cookie": cookie])
      let set = response.headers.all("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
      if !set.isEmpty { cookie = set.joined(separator: "; ") }
      return response
    }

    func submit(_ form: PageText.Form) async throws -> HTTPServerResponse {
      try await rig.send(
        "POST", form.target,
        headers: ["Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"],
        body: FormURLEncoding.encode(form.fields))
    }
  }

  private func target(_ url: URL) -> String {
    url.path() + "?" + (url.query(percentEncoded: true) ?? "")
  }

  private func form(_ response: HTTPServerResponse, _ action: String) throws -> PageText.Form {
    try #require(PageText(response.text).forms.first { $0.action.hasSuffix(action) })
  }

  private func signIn(_ browser: Browser, remember: Bool) async throws {
    let page = try await browser.open(target(rig.push()))
    var form = try form(page, "/sign-in")
    form.fill("identifier", "alice.test")
    form.fill("password", "sandbox")
    if remember { form.press("remember", "yes") }
    #expect(try await browser.submit(form).status == 303)
  }

  @Test("with the account hinted at, the next request goes straight to the question")
  func hinted() async throws {
    let browser = Browser(rig)
    try await signIn(browser, remember: true)
    let page = try await browser.open(target(rig.push()))
    #expect(page.text.contains("asks for access to your account"))
  }

  @Test("without a hint the account is offered by name, for seven days")
  func offered() async throws {
    let browser = Browser(rig)
    try await signIn(browser, remember: true)
    let next = target(try await rig.push(["login_hint": nil]))
    let page = try await browser.open(next)
    #expect(page.text.contains("@alice.test"))
    var form = try form(page, "/continue")
    form.press("did", FakeDirectory.alice)
    #expect(try await browser.submit(form).status == 303)
    #expect(try await browser.open(next).text.contains("asks for access"))
    await rig.clock.advance(by: .seconds(7 * 24 * 3600))
    rig.forgetNonce()
    let later = try await browser.open(target(rig.push(["login_hint": nil])))
    #expect(!later.text.contains("@alice.test"))
  }

  @Test("nobody is remembered who did not ask for it, and nobody can claim to be")
  func notRemembered() async throws {
    let browser = Browser(rig)
    try await signIn(browser, remember: false)
    let page = try await browser.open(target(rig.push()))
    #expect(page.text.contains("<h1>Sign in</h1>"))
    try await signIn(browser, remember: true)
    let offer = try await browser.open(target(rig.push(["login_hint": nil])))
    var form = try form(offer, "/continue")
    form.press("did", "did:plc:bbbbccccddddeeeeffffgggg")
    let refused = try await browser.submit(form)
    #expect(refused.status == 400)
    #expect(refused.text.contains("That sign-in has expired"))
  }

  @Test("another account can be used instead")
  func another() async throws {
    let browser = Browser(rig)
    try await signIn(browser, remember: true)
    let next = target(try await rig.push())
    #expect(try await browser.open(next + "&view=sign-in").text.contains("<h1>Sign in</h1>"))
    #expect(try await browser.open(next + "&view=create").text.contains("Create an account"))
    let create = try await browser.open(target(rig.push(["prompt": "create"])))
    #expect(create.text.contains("<h1>Create an account</h1>"))
  }

  @Test("cookies carry the port, for browsers do not tell ports apart")
  func cookieNames() async throws {
    let browser = Browser(rig)
    let page = try await browser.open(target(rig.push()))
    let cookies = page.headers.all("Set-Cookie")
    #expect(cookies.count == 2)
    #expect(cookies[0].hasPrefix("dev-id-2583=dev-"))
    #expect(cookies[1].hasPrefix("ses-id-2583=ses-GRAINCANARY"))
    for cookie in cookies {
      #expect(cookie.hasSuffix("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"))
    }
    #expect(try await browser.open(target(rig.push())).headers["Set-Cookie"] == nil)
  }
}
