import Foundation
import GrainBridge
import GrainCore
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients

/// `grain-core demo`: the whole story in one process, against the sandbox, through the same bridge a
/// user interface uses.
struct DemoCommand {
  private let options: CommandLineArguments.DemoOptions
  private let screen: DemoScreen

  init(_ options: CommandLineArguments.DemoOptions) {
    self.options = options
    screen = DemoScreen(isJSON: options.json)
  }

  func run() async -> ExitCode {
    let started = ContinuousClock.now
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "grain-core-demo-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }  // the system clears what is left
    do {
      try PrivateFiles.makeFolder(folder.path)
      let outcome = try await tell(in: folder.path)
      screen.summary(summary(outcome, elapsed: started.duration(to: .now)))
      screen.say(
        "\nThat was the real protocol, real HTTP and real pictures, on this machine alone.")
      return .done
    } catch let failure as DemoFailure {
      screen.failed(failure)
    } catch let error as ShellError {
      screen.failed(Self.failure(error))
    } catch {
      screen.failed(
        DemoFailure("the demo stopped: \(error)", advice: "Run it again; if it stays, report it."))
    }
    return .failed
  }

  private func tell(in folder: String) async throws -> DemoStory.Outcome {
    let photos =
      try options.photos.map { try DemoPhotos(folder: $0) } ?? DemoPhotos(samplesIn: folder)
    screen.say("grain-core demo — sign in, publish, restart, read back, sign out\n")
    let network = try await SandboxNetwork.start()
    let addresses = network.addresses
    screen.done("sandbox", "home server, directory and AppView on loopback")
    let http = HTTPClient.live(
      NetworkPolicy(
        allowInsecureLoopback: true, allowPrivateAddresses: false, hosts: addresses.hosts),
      userAgent: "grain-core-demo", clock: .live)
    let visitor = SandboxVisitor(http: http)
    let transcript = try transcript()
    // Where nobody reads it, it ends early, and the notice has said so.
    defer { _ = transcript?.close() }
    var record: (@Sendable (RecordedMessage) -> Void)?
    if let transcript { record = { transcript.add($0) } }
    let counter = RequestCounter(
      HTTPClient.live(
        NetworkPolicy(
          allowInsecureLoopback: true, allowPrivateAddresses: false, hosts: addresses.hosts),
        userAgent: "grain-core/\(CoreVersion.text)", clock: .live))
    var story = DemoStory(
      network: network, photos: photos, screen: screen, http: http, counter: counter)

    let data = "\(folder)/data"
    let first = try await DemoSession.start(
      dataFolder: data, addresses: addresses, visitor: visitor, counter: counter, record: record)
    try await story.signIn(first.shell)
    try await story.publish(first.shell)
    try await first.end()

    let before = counter.count
    let second = try await DemoSession.start(
      dataFolder: data, addresses: addresses, visitor: visitor, counter: counter, record: nil)
    try await story.restored(second.shell, requestsBefore: before)
    try await story.readBack()
    try await story.signOut(second.shell)
    try await second.end()

    try writeProofs(network)
    await network.stop()
    return story.outcome
  }

  private func transcript() throws(DemoFailure) -> TranscriptFile? {
    guard let path = options.record else { return nil }
    do throws(FileError) {
      return try TranscriptFile(path, title: "demo", arguments: ["--profile=sandbox"]) { notice in
        guard case .gapBegan = notice else { return }
        GrainCoreProgram.complain("grain-core: \(path) takes no more; the recording has gaps\n")
      }
    } catch {
      throw DemoFailure("\(path) cannot be written", advice: "Choose another --record.")
    }
  }

  /// The DPoP proofs the servers saw, for an independent library to judge.
  private func writeProofs(_ network: SandboxNetwork) throws(DemoFailure) {
    guard let path = options.proofs else { return }
    let lines = network.recordedProofs.map { proof -> String in
      var line: JSONObject = [
        "proof": .string(proof.proof), "method": .string(proof.method), "url": .string(proof.url),
      ]
      if let hash = proof.accessTokenHash { line["accessTokenHash"] = .string(hash) }
      return JSONValue.object(line).text() + "\n"
    }
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data(lines.joined().utf8),
        attributes: [.posixPermissions: 0o600])
    else { throw DemoFailure("\(path) cannot be written", advice: "Choose another --proofs.") }
  }

  private func summary(_ outcome: DemoStory.Outcome, elapsed: Duration) -> JSONObject {
    [
      "ok": true, "did": .string(outcome.did), "handle": .string(outcome.handle),
      "gallery": .string(outcome.gallery), "photos": JSONValue(outcome.photos),
      "seenByAppView": .bool(outcome.seenByAppView), "gpsLeaked": .bool(outcome.gpsLeaked),
      "requests": [
        "signIn": JSONValue(outcome.signInRequests), "publish": JSONValue(outcome.publishRequests),
      ],
      "elapsedMs": JSONValue(Int(elapsed / .milliseconds(1))),
    ]
  }

  private static func failure(_ error: ShellError) -> DemoFailure {
    switch error {
    case .refused(_, let kind, let words): DemoFailure("the core refused: \(kind)", advice: words)
    case .closed(let reason):
      DemoFailure("the core closed a screen: \(reason)", advice: "This is a bug; please report it.")
    case .ended:
      DemoFailure("the core ended too early", advice: "Run it again; if it stays, report it.")
    case .unreadable(let what):
      DemoFailure("the core wrote \(what)", advice: "This is a bug; please report it.")
    }
  }
}
