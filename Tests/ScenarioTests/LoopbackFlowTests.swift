import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// Sign-ins whose answer comes to a port of ours, with the browsers and ports people really have.
@Suite("Signing in over a port of ours", .serialized)
struct LoopbackFlowTests {
  private static let presentations: [JSONValue] = ["externalBrowser"]

  @Test("a configured port that is taken ends it at once, by its number (FB-B1)")
  func busy() async throws {
    try await World.run { (world) async throws -> Void in
      let occupant = try Occupant()
      let core = try await world.core(presentations: Self.presentations) {
        $0.loopbackClient = true
        $0.loopbackPort = occupant.port
      }
      let ending = try await core.shell.trySignIn("alice.test")
      #expect(ending.description == "failed login.providerUnavailable")
      let problem = try #require(ending.problem)
      #expect(problem.isWorded && problem.words.contains("\(occupant.port)"), "\(problem.words)")
      #expect(core.shell.pages.isEmpty)
      occupant.leave()
      // Two flows, one after the other, on that very port.
      try await core.shell.signIn("alice.test")
      try await core.shell.signIn("bob.test")
      #expect(core.redirects.map(\.port) == [occupant.port, occupant.port])
      try await core.end()
    }
  }

  @Test("the port listens before the page's address is told, and on loopback only (FB-B1, FB-B7)")
  func listensFirst() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core(presentations: Self.presentations) {
        $0.loopbackClient = true
      }
      let shell = core.shell
      let statuses = Recorder<Int>()
      shell.browser.onPage { [http = world.http] args, _ in
        let redirect = try #require(core.redirects.last)
        let root = try #require(URL(string: "http://127.0.0.1:\(redirect.port)/favicon.ico"))
        statuses.record(try await http.send(HTTPRequest(method: "GET", url: root)).status)
        let callback = try await shell.browser.approve("alice.test", args: args)
        statuses.record(try await http.send(HTTPRequest(method: "GET", url: callback)).status)
        return .result(["outcome": "presented"])
      }
      #expect(try await shell.trySignIn("alice.test").description == "succeeded")
      #expect(statuses.values == [404, 200])
      #expect(try #require(core.redirects.last).host == "127.0.0.1")
      try await core.end()
    }
  }

  @Test(
    "a no in the browser ends it at once; what the address says beside is shown nowhere (FB-B5)")
  func denied() async throws {
    try await World.run { (world) async throws -> Void in
      let lines = Recorder<[UInt8]>()
      let core = try await world.core(
        presentations: Self.presentations,
        log: Log(
          clock: .live, sink: LogSink { lines.record($0) }, thresholds: LogThresholds(.trace))
      ) { $0.loopbackClient = true }
      let pages = Recorder<String>()
      core.shell.browser.onPage { [http = world.http] _, _ in
        let redirect = try #require(core.redirects.last)
        let issuer = try #require(
          "\(world.network.addresses.pds)".addingPercentEncoding(
            withAllowedCharacters: .alphanumerics))
        let url = try #require(
          URL(
            string: "\(redirect.text)?state=\(redirect.state)&iss=\(issuer)&error=access_denied"
              + "&error_description=No%0Athanks%1b%5B31m%3Cscript%3E"))
        let answer = try await http.send(HTTPRequest(method: "GET", url: url))
        pages.record(String(decoding: answer.body, as: UTF8.self))
        return .result(["outcome": "presented"])
      }
      let ending = try await core.shell.trySignIn("alice.test")
      #expect(ending.description == "failed login.denied")
      #expect(try #require(pages.values.first).contains("Sign-in cancelled"))
      var haystack = Haystack()
      for page in pages.values { haystack.add("page", page.utf8) }
      for line in lines.values { haystack.add("log", line) }
      for message in core.shell.traffic.values { haystack.add("pipe", message.json.text().utf8) }
      haystack.expectNone(of: ["thanks", "<script>", "\u{1b}"].map { .init("description", $0) })
      try await core.end()
    }
  }

  @Test("nobody comes back: it ends by its time, and the port is free again (FB-B6)")
  func overdue() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core(presentations: Self.presentations) {
        $0.loopbackClient = true
        $0.times.loopbackMs = 1000
      }
      core.shell.browser.onPage { _, _ in .result(["outcome": "presented"]) }
      #expect(try await core.shell.trySignIn("alice.test").description == "failed login.expired")
      #expect(try #require(core.redirects.last).isClosed)
      try await core.shell.signIn("alice.test")
      try await core.end()
    }
  }

  @Test(
    "started and cancelled twenty times, each time the port is free, and the next works (FB-B6)")
  func cancelled() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core(presentations: Self.presentations) {
        $0.loopbackClient = true
      }
      for _ in 0..<20 {
        core.shell.browser.leaveOpen()
        let verdict = try await core.shell.submit("alice.test")
        try await core.shell.wait("login", "at the page") { $0["phase"] == "waitingForBrowser" }
        try await core.shell.call("login.cancel")
        #expect(try await core.shell.ending(of: verdict).description == "cancelled")
        #expect(try #require(core.redirects.last).isClosed)
      }
      try await core.shell.signIn("alice.test")
      try await core.end()
    }
  }

  @Test(
    "closing the input ends the program although a browser is awaited or clings to it (FB-B6, FB-B8)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func programEnds() async throws {
    try await World.run { (world) async throws -> Void in
      var file = world.configuration
      file["loopbackClient"] = true
      let occupant = try Occupant()
      file["loopbackPort"] = JSONValue(occupant.port)
      let port = occupant.port
      occupant.leave()
      let path = try world.file("loopback.json", JSONValue.object(file).serialized())
      let core = try await CoreProcess.start(
        dataFolder: world.dataFolder, ["--config", path], http: world.http)
      try await core.shell.initialize(presentations: Self.presentations)
      core.shell.browser.leaveOpen()
      _ = try await core.shell.submit("alice.test")
      try await core.shell.wait("login", "at the page") { $0["phase"] == "waitingForBrowser" }
      let browser = try Occupant.connect(to: port)
      try await core.shell.hangUp()
      #expect(try await core.program.status() == 0)
      close(browser)
    }
  }
}

/// Another program that has a port.
private final class Occupant: Sendable {
  let port: Int
  private let descriptor: Locked<Int32?>

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) | listen(descriptor, 8) | getsockname(descriptor, $0, &size)
      }
    }
    try #require(code == 0)
    port = Int(UInt16(bigEndian: address.sin_port))
    self.descriptor = Locked(descriptor)
  }

  deinit { leave() }

  func leave() {
    descriptor.withLock { open in
      if let open { close(open) }
      open = nil
    }
  }

  /// A connection to a port, which stays open until it is closed.
  static func connect(to port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      let failure = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      close(descriptor)
      throw failure
    }
    return descriptor
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}

/// Where a pushed request asked the browser to go, and with which state.
private struct Redirect {
  let text: String
  let state: String
  var host: String? { URL(string: text)?.host() }
  var port: Int { URL(string: text)?.port ?? 0 }

  /// Whether nobody listens there any more.
  var isClosed: Bool {
    do {
      close(try Occupant.connect(to: port))
      return false
    } catch {
      return true
    }
  }
}

extension CoreSession {
  /// The redirects this core has asked for; each once, however often a nonce was missing.
  fileprivate var redirects: [Redirect] {
    var redirects: [Redirect] = []
    for case .bytes(let body) in tap.requests.filter({ $0.url.path() == Path.pushedRequest })
      .map(\.body)
    {
      let form = FormURLEncoding.decode(body) ?? []
      guard let text = form.first(where: { $0.0 == "redirect_uri" })?.1,
        let state = form.first(where: { $0.0 == "state" })?.1,
        state != redirects.last?.state
      else { continue }
      redirects.append(Redirect(text: text, state: state))
    }
    return redirects
  }
}

extension Shell {
  /// The pages that were to be shown.
  fileprivate var pages: [JSONValue] {
    traffic.values.map(\.json).filter { $0["params"]?["effect"] == "auth.present" }
  }
}
