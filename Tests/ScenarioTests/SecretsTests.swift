import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainBridge
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import Sandbox
import ShellClient
import StrictJSON
import Synchronization
import SystemClients
import Testing

@Suite("Secrets stay inside", .serialized)
struct SecretsTests {
  /// The marker in every secret the sandbox mints.
  private static let marker = Haystack.Secret("a minted secret", Canary.marker)

  @Test("a whole session, its failures included, tells nobody anything (A25, FB-A34)")
  func session() async throws {
    try await World.run { (world) async throws -> Void in
      let logged = Recorder<[UInt8]>()
      let recorded = Recorder<RecordedMessage>()
      var options = BridgeOptions()
      options.record = { recorded.record($0) }
      let log = Log(
        clock: .live, sink: LogSink { logged.record($0) }, thresholds: LogThresholds(.trace))
      try await world.expireUnannounced()
      let core = try await world.core(log: log, options: options) { $0.limits.parallelUploads = 1 }
      let states = try await Self.live(core.shell, in: world)
      try await core.end()

      var haystack = Haystack()
      for message in core.shell.traffic.values where message.direction == .received {
        haystack.add("standard output", message.json.serialized())
      }
      for line in logged.values { haystack.add("log", line) }
      for step in recorded.values {
        haystack.add("transcript", JSONValue.object(step.message).serialized())
      }
      try haystack.add(folder: world.dataFolder)
      let key = try await Self.storedKey(of: world.did("bob.test"), in: world.dataFolder)
      let secrets = Self.sent(core.tap.requests) + key + states
      haystack.expectNone(of: [Self.marker] + secrets)

      // The search itself is worth something: the secrets exist, and what lies open is found.
      for kind in ["state", "verifier", "proof", "access token", "refresh token", "code", "key"] {
        #expect(secrets.contains { $0.kind == kind }, "no \(kind) was learnt")
      }
      #expect(core.tap.requests.contains { Self.body($0).contains(Canary.marker) })
      for (word, place) in [
        ("operations/ended", "standard output"), ("login.callback", "transcript"),
        ("grant ended", "log"), ("bob.test", "core.sqlite"),
      ] {
        #expect(haystack.places(with: word.utf8).contains(place), "\(word)")
      }
    }
  }

  @Test(
    "nor does the program, recorded and at its most talkative (A25, FB-A34)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func program() async throws {
    try await World.run { (world) async throws -> Void in
      let transcript = world.folder.path("session.ndjson")
      try await world.expireUnannounced()
      let core = try await world.process(["--log-level", "trace", "--record", transcript])
      let states = try await Self.live(core.shell, in: world)
      try await core.end()

      var haystack = Haystack()
      for message in core.shell.traffic.values where message.direction == .received {
        haystack.add("standard output", message.json.serialized())
      }
      haystack.add("standard error", core.program.errors)
      haystack.add("transcript", try Data(contentsOf: URL(filePath: transcript)))
      try haystack.add(folder: world.dataFolder)
      let key = try await Self.storedKey(of: world.did("bob.test"), in: world.dataFolder)
      let proofs = world.network.recordedProofs.map { Haystack.Secret("proof", $0.proof) }
      #expect(!proofs.isEmpty)
      #expect(!states.isEmpty)
      haystack.expectNone(of: [Self.marker] + Array(Set(proofs)) + states + key)
      for (word, place) in [
        ("operations/ended", "standard output"), ("$secret:callbackUrl", "transcript"),
        ("grant ended", "standard error"), ("bob.test", "core.sqlite"),
      ] {
        #expect(haystack.places(with: word.utf8).contains(place), "\(word)")
      }
    }
  }

  /// Everything that touches a secret, done well and badly. Bob stays signed in.
  ///
  /// - Returns: the states and codes the browser came back with.
  private static func live(_ shell: Shell, in world: World) async throws -> [Haystack.Secret] {
    let callbacks = Recorder<String>()
    func carry(_ handle: String) {
      shell.browser.onPage { [browser = shell.browser] args, client in
        let url = try await browser.approve(handle, args: args).absoluteString
        callbacks.record(url)
        // First as if it belonged to another attempt: a refusal must not repeat it.
        await #expect(throws: ShellError.self) {
          try await client.call(
            "login.callback", ["callbackUrl": .string(url.replacing("state=", with: "state=0"))])
        }
        try await client.call("login.callback", ["callbackUrl": .string(url)])
        return .result(["outcome": "callbackDelivered"])
      }
    }
    let faults = try world.authorizationFaults
    carry("alice.test")
    #expect(try await shell.trySignIn("alice.test").outcome == "succeeded")
    let photos = try world.samplePhotos()
    let other = try await shell.draft(photos, title: "Kept")
    carry("bob.test")
    let members = faults.current.tokenMembers
    faults.set { $0.tokenMembers["sub"] = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa" }
    #expect(try await shell.trySignIn("bob.test").outcome == "failed")
    faults.set { $0.tokenMembers = members }
    #expect(try await shell.trySignIn("bob.test").outcome == "succeeded")
    shell.browser.deny("alice.test")
    #expect(try await shell.trySignIn("alice.test").outcome == "failed")

    // A refresh on the way, then one that is refused.
    let draft = try await shell.draft(photos)
    world.network.clockOffset = 61
    #expect(try await shell.publish(draft).outcome == "succeeded")
    #expect(try await shell.read("accounts")["accountOrder"]?.arrayValue?.count == 2)
    faults.set { $0.refreshRefusals = [.init(error: "invalid_grant")] }
    let alice = try await world.did("alice.test").rawValue
    try await shell.call("accounts.switch", ["account": .string(alice)])
    try await shell.wait("accounts", "expired") {
      $0["account"]?[alice]?["standing"] == "expired"
    }
    carry("alice.test")
    let back = try await shell.call("accounts.reauthenticate", ["account": .string(alice)])
    #expect(try await shell.ending(of: back).outcome == "succeeded")
    await world.network.faults.add(.status(500), on: .pds(Path.applyWrites), times: 50)
    let failing = try await world.impatiently {
      try await shell.publish(other)
    }
    #expect(failing.outcome == "failed")
    await world.network.faults.clear()
    try await shell.signOut(alice)
    return callbacks.values.flatMap { url in
      (URLComponents(string: url)?.queryItems ?? []).compactMap { item in
        guard let value = item.value, value.count > 20 else { return nil }
        return Haystack.Secret(item.name, value)
      }.filter { ["state", "code"].contains($0.kind) }
    }
  }

  // MARK: Learning secrets

  /// What a core sent to servers and nobody else may see.
  private static func sent(_ requests: [HTTPRequest]) -> [Haystack.Secret] {
    let fields = [
      "code_verifier": "verifier", "state": "state", "code": "code",
      "refresh_token": "refresh token", "token": "refresh token",
    ]
    var secrets: Set<Haystack.Secret> = []
    for request in requests {
      for proof in request.headers.all("DPoP") { secrets.insert(.init("proof", proof)) }
      if let token = request.headers["Authorization"]?.split(separator: " ").last {
        secrets.insert(.init("access token", token))
      }
      for field in body(request).split(separator: "&") {
        let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let kind = fields[parts[0]], parts[1].count > 20 else { continue }
        secrets.insert(.init(kind, parts[1].removingPercentEncoding ?? parts[1]))
      }
    }
    return Array(secrets)
  }

  private static func body(_ request: HTTPRequest) -> String {
    guard case .bytes(let bytes) = request.body,
      request.headers["Content-Type"] == "application/x-www-form-urlencoded"
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An account's private key in the spellings it might have leaked in.
  static func storedKey(
    of did: DID, in folder: String
  ) async throws -> [Haystack.Secret] {
    let path = "\(folder)/core.sqlite"
    let vault = try await CredentialVault(
      path: path, schema: CoreSchema.migrations,
      providers: [KeyFileProvider(path: "\(folder)/vault.key")], random: .live)
    let store = try AccountStore(path: path, sealer: vault.sealer)
    let grant = try #require(try await store.grant(did))
    #expect(grant.tokens.accessToken.revealText().contains(Canary.marker))
    let raw = grant.dpopKey.rawRepresentation.reveal()
    let base64 = Data(raw).base64EncodedString().prefix { $0 != "=" }
    return [
      .init("key", raw), .init("key", raw.map { String(format: "%02x", $0) }.joined()),
      .init("key", base64),
      .init("key", base64.replacing("+", with: "-").replacing("/", with: "_")),
    ]
  }
}
