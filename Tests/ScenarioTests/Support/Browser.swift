import Foundation
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients

/// The person in front of the shell, as far as sign-in pages go: what they do when one is shown.
final class Browser: Sendable {
  /// Answers `auth.present`: the effect's `args` go in.
  typealias Visit =
    @Sendable (_ args: JSONObject, _ shell: ShellClient) async throws -> EffectAnswer

  private struct State {
    var visit: Visit?
    var unlock: (@Sendable () async throws -> JSONValue)?
    var shell: ShellClient?
  }

  /// One element for each open page that the core has taken back.
  let takenBack: AsyncStream<Void>
  private let tellTakenBack: AsyncStream<Void>.Continuation
  private let http: HTTPClient
  private let state = Locked(State())

  /// A browser in which nobody does anything yet; `http` reaches the sandbox.
  init(http: HTTPClient) {
    self.http = http
    (takenBack, tellTakenBack) = AsyncStream.makeStream()
  }

  func attach(_ shell: ShellClient) { state.withLock { $0.shell = shell } }

  /// What happens to the pages from now on.
  func onPage(_ visit: @escaping Visit) { state.withLock { $0.visit = visit } }

  /// What a person does when asked to unlock the key store; gives back the outcome.
  func onLockedKeyring(_ unlock: @escaping @Sendable () async throws -> JSONValue) {
    state.withLock { $0.unlock = unlock }
  }

  /// Performs one effect.
  func perform(_ params: JSONObject) async -> EffectAnswer {
    let (visit, shell) = state.withLock { ($0.visit, $0.shell) }
    if params["effect"] == "keyring.unlock", let unlock = state.withLock({ $0.unlock }) {
      do {
        return .result(["outcome": try await unlock()])
      } catch {
        return .error(code: 6002, kind: "effect.failed")
      }
    }
    guard params["effect"] == "auth.present", let visit, let shell,
      let args = params["args"]?.objectValue
    else { return .error(code: 6001, kind: "effect.unsupported") }
    do {
      return try await visit(args, shell)
    } catch {
      return .error(code: 6002, kind: "effect.failed")
    }
  }

  /// Signs in and allows everything; the answer is handed over the way the core asked for.
  func approve(_ handle: String) {
    onPage { [self] args, shell in
      let callback = try await SandboxVisitor(http: http).approve(
        authorizationURL: try Self.page(args), handle: handle, password: "sandbox")
      return try await deliver(callback, args, shell)
    }
  }

  /// Makes an account on the sign-up page and allows everything.
  func signUp(_ handle: String) {
    onPage { [self] args, shell in
      let callback = try await SandboxVisitor(http: http).signUp(
        authorizationURL: try Self.page(args), handle: handle,
        email: "\(handle.prefix { $0 != "." })@example.com", password: "sandbox")
      return try await deliver(callback, args, shell)
    }
  }

  /// Signs in and says no.
  func deny(_ handle: String) {
    onPage { [self] args, shell in
      let callback = try await SandboxVisitor(http: http).deny(
        authorizationURL: try Self.page(args), handle: handle, password: "sandbox")
      return try await deliver(callback, args, shell)
    }
  }

  /// Closes the page.
  func dismiss() {
    onPage { _, _ in .result(["outcome": "dismissed"]) }
  }

  /// Leaves the page open until the core takes it back.
  func leaveOpen() {
    onPage { [tellTakenBack] _, _ in
      // Only the core's withdrawal ends this.
      try? await Task.sleep(for: .seconds(3600))
      tellTakenBack.yield(())
      return .result(["outcome": "dismissed"])
    }
  }

  /// Walks the pages and gives the callback to the test instead of the core.
  func approve(_ handle: String, args: JSONObject) async throws -> URL {
    try await SandboxVisitor(http: http).approve(
      authorizationURL: try Self.page(args), handle: handle, password: "sandbox")
  }

  /// Brings the browser's answer to where the core waits for it.
  private func deliver(
    _ callback: URL, _ args: JSONObject, _ shell: ShellClient
  ) async throws -> EffectAnswer {
    if args["callback"]?["via"] == "core" {
      _ = try await http.send(HTTPRequest(method: "GET", url: callback))
      return .result(["outcome": "presented"])
    }
    try await shell.call("login.callback", ["callbackUrl": .string(callback.absoluteString)])
    return .result(["outcome": "callbackDelivered"])
  }

  private static func page(_ args: JSONObject) throws -> URL {
    guard let url = args["url"]?.stringValue.flatMap({ URL(string: $0) }) else {
      throw URLError(.badURL)
    }
    return url
  }
}
