import Foundation
import GrainBridge
import GrainCore
import GrainServices
import JSONRPC
import Sandbox
import ShellClient
import StrictJSON
import Synchronization

/// One run of the core with one shell on a pair of pipes: the real protocol, in one process.
struct DemoSession {
  let shell: ShellClient
  private let host: CoreHost
  private let running: Task<EndReason, Never>

  /// Starts a core on a data folder and says hello.
  @MainActor
  static func start(
    dataFolder: String, addresses: SandboxAddresses, visitor: SandboxVisitor,
    counter: RequestCounter, record: (@Sendable (RecordedMessage) -> Void)?
  ) async throws -> DemoSession {
    let (toCore, toShell) = (Pipe.descriptors(), Pipe.descriptors())
    var options = BridgeOptions()
    options.record = record
    let host = try CoreHost.start(
      input: toCore.reading, output: toShell.writing, dataFolder: dataFolder,
      configuration: { () async throws(StoreFault) in try .meeting(addresses) },
      doors: Core.Doors(http: counter.http), options: options)
    let connection = ShellConnection(input: toShell.reading, output: toCore.writing)
    let browser = DemoBrowser(visitor: visitor)
    let shell = ShellClient(connection: connection) { await browser.perform($0) }
    await browser.attach(shell)
    await shell.start()
    let session = DemoSession(shell: shell, host: host, running: Task { await host.run() })
    try await shell.call("initialize", Self.hello)
    for model in ["login", "accounts", "drafts"] {
      try await shell.call(
        "models/subscribe",
        ["subscription": .string(model), "model": .string(model), "delivery": "merge"])
    }
    return session
  }

  /// Says goodbye and waits for the core to let go of its data folder.
  func end() async throws {
    try await shell.shutdown()
    _ = await running.value
  }

  private static let hello: JSONObject = [
    "protocolVersions": [1], "client": ["name": "grain-core demo", "version": "1"],
    "capabilities": [
      "delivery": ["merge", "full"], "progress": true,
      "effects": [
        "auth.present": ["version": 1, "presentations": ["webview"]],
        "url.open": ["version": 1],
      ],
    ],
    "models": [
      ["model": "login", "schemas": ["v1/models/login.json"]],
      ["model": "accounts", "schemas": ["v1/models/accounts.json"]],
      ["model": "drafts", "schemas": ["v1/models/drafts.json"]],
      ["model": "galleryPublish", "schemas": ["v1/models/gallery-publish.json"]],
    ],
  ]
}

/// Shows sign-in pages by walking their forms, as a browser in a window would.
actor DemoBrowser {
  private let visitor: SandboxVisitor
  private var shell: ShellClient?

  init(visitor: SandboxVisitor) {
    self.visitor = visitor
  }

  func attach(_ shell: ShellClient) { self.shell = shell }

  /// Performs one effect the core asked for.
  func perform(_ params: JSONObject) async -> EffectAnswer {
    guard params["effect"] == "auth.present", let shell,
      let page = params["args"]?["url"]?.stringValue.flatMap({ URL(string: $0) })
    else { return .error(code: 6001, kind: "effect.unsupported") }
    do {
      let callback = try await visitor.approve(
        authorizationURL: page, handle: DemoStory.handle, password: DemoStory.password)
      try await shell.call(
        "login.callback", ["callbackUrl": .string(callback.absoluteString)])
      return .result(["outcome": "callbackDelivered"])
    } catch {
      return .error(code: 6002, kind: "effect.failed")
    }
  }
}

extension Pipe {
  /// A pipe whose ends belong to whoever asked, not to Foundation.
  static func descriptors() -> (reading: Int32, writing: Int32) {
    let pipe = Pipe()
    return (
      dup(pipe.fileHandleForReading.fileDescriptor), dup(pipe.fileHandleForWriting.fileDescriptor)
    )
  }
}
