import Foundation
import HTTPTransport
import Sandbox
import StrictJSON

/// Everything a core sends while somebody signs in, makes a second account, publishes, comes back after
/// the token's life, and signs out. Played once; the tests read the record.
struct WireStory: Sendable {
  let requests: [HTTPRequest]
  let addresses: SandboxAddresses
  /// The first account's DID.
  let did: String

  private static let telling = Task { try await tell() }

  /// The record; whoever asks first waits for the story.
  static var told: WireStory {
    get async throws { try await telling.value }
  }

  private static func tell() async throws -> WireStory {
    var story: WireStory?
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let did = try await shell.signIn("alice.test")
      let draft = try await shell.draft(try world.samplePhotos())
      _ = try await shell.publish(draft)

      shell.browser.signUp("wanda.signup.test")
      try await shell.call("login.start")
      _ = try await shell.ending(of: try await shell.call("login.createAccount"))

      world.network.clockOffset = 7200
      world.clock.ahead = 7200
      _ = try await shell.ending(
        of: try await shell.call("accounts.switch", ["account": .string(did)]))
      try await shell.signOut(did)
      story = WireStory(
        requests: core.tap.requests, addresses: world.network.addresses, did: did)
      try await core.end()
    }
    guard let story else { throw CancellationError() }
    return story
  }

  /// The requests for one path, in order.
  func requests(to path: String) -> [HTTPRequest] {
    requests.filter { $0.url.path() == path }
  }

  /// The first account's signed calls: those with an access token.
  var signedCalls: [HTTPRequest] {
    requests.filter { $0.headers["Authorization"] != nil }
  }
}

extension HTTPRequest {
  /// The fields of a form body.
  var form: [String: String] {
    guard case .bytes(let bytes) = body, let fields = FormURLEncoding.decode(bytes) else {
      return [:]
    }
    return Dictionary(fields.map { ($0.0, $0.1) }) { $1 }
  }

  /// Scheme, host and port.
  var server: String {
    "\(url.scheme ?? "")://\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")"
  }
}
