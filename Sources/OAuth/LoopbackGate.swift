import HTTPServing
import HTTPTransport
import SystemClients

/// Decides for each request at a loopback listener whether it is the awaited callback.
final class LoopbackGate: Sendable {
  private let path: String
  private let judge: @Sendable (CallbackURL) async -> LoopbackReceiver.Verdict
  private let deliver: @Sendable (CallbackURL) -> Void
  private let authority = Locked<String?>(nil)
  private let isDone = Locked(false)

  init(
    path: String, judge: @escaping @Sendable (CallbackURL) async -> LoopbackReceiver.Verdict,
    deliver: @escaping @Sendable (CallbackURL) -> Void
  ) {
    self.path = path
    self.judge = judge
    self.deliver = deliver
  }

  /// Says under which address the listener is reached; before that nothing passes.
  func open(authority: String) {
    self.authority.withLock { $0 = authority }
  }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    guard request.path == path else { return Self.page(.notHere) }
    guard request.method == "GET" else { return Self.page(.wrongMethod) }
    // A page elsewhere can make a browser ask 127.0.0.1 under a name of its own; we answer ours only.
    guard let authority = authority.withLock({ $0 }), request.headers["Host"] == authority else {
      return Self.page(.notHere)
    }
    let callback: CallbackURL
    do {
      callback = try CallbackURL("http://\(authority)\(request.target)")
    } catch {
      return Self.page(.notACallback)
    }
    guard callback.state != nil, callback.code != nil || callback.error != nil else {
      return Self.page(.notACallback)
    }
    guard !isDone.withLock({ $0 }) else { return Self.page(.notHere) }
    let verdict = await judge(callback)
    guard verdict != .ignored else { return Self.page(.notACallback) }
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    guard isFirst else { return Self.page(.notHere) }
    deliver(callback)
    return Self.page(.done(verdict))
  }

  private enum Page {
    case notHere, wrongMethod, notACallback
    case done(LoopbackReceiver.Verdict)
  }

  /// Constant words only: nothing from the request can reach the page (FB-B5, FB-B7).
  private static func page(_ page: Page) -> HTTPServerResponse {
    let (status, title, words): (Int, StaticString, StaticString) =
      switch page {
      case .notHere: (404, "Nothing here", "There is nothing at this address.")
      case .wrongMethod: (405, "Nothing here", "Only GET is answered here.")
      case .notACallback:
        (400, "Nothing here", "This is not the answer that is awaited here.")
      case .done(.denied): (200, "Sign-in cancelled", "You can close this window.")
      case .done(.failed):
        (200, "Sign-in did not succeed", "Return to the app to see why.")
      case .done(.accepted), .done(.ignored):
        (200, "Back to the app", "You can close this window and return to the app.")
      }
    var response = HTTPServerResponse.html(
      LoopbackPage.text(title: title, words: words), status: status)
    response.headers["Connection"] = "close"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Content-Security-Policy"] = LoopbackPage.policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    if case .wrongMethod = page { response.headers["Allow"] = "GET" }
    return response
  }
}
