import Foundation
import Sandbox
import ShellClient
import StrictJSON
import SystemClients

/// Twenty photographs on a network whose round trips take 50 ms, four uploads at a time against one
/// after another.
enum PublishRow {
  private static let photographs = 20
  private static let roundTrip = Duration.milliseconds(50)

  static let row = Row(
    name: "publish", summary: "20 photos at 50 ms round-trip time, and the memory it takes"
  ) { bench in
    let network = try await SandboxNetwork.start()
    let pictures = try pictures(bench)
    for name in ["parallel", "single"] {
      let core = try await SandboxedCore.start(bench, network, dataFolder: bench.path(name))
      try await core.signIn()
      try await core.end()
    }
    let samples = try await Interleaving.measure(
      runs: bench.runs,
      [
        { try await publish(bench, network, pictures, "parallel", limits: [:]) },
        { try await publish(bench, network, pictures, "single", limits: ["parallelUploads": 1]) },
      ])
    await network.stop()
    func comparison(_ place: Int, _ what: String, _ unit: String) -> Comparison {
      Comparison(
        row: "publish", what: what, unit: unit, ours: samples[0][place],
        others: [.init(name: "one upload after another", outcome: .measured(samples[1][place]))])
    }
    var uploads = comparison(
      0, "20 photos of 900 kB at 50 ms, from the intent to the last upload", "ms")
    uploads.others[0].bound = .atMost(1.0 / 3)
    uploads.remark =
      "the core's requests wait 50 ms at the server; opening a connection costs no more"
    var memory = comparison(2, "most memory above rest, adding and publishing them", "MiB")
    memory.bounds = [.atMost(20)]
    memory.worstCounts = true
    return [uploads, comparison(1, "the same to the gallery, shown by the AppView", "ms"), memory]
  }

  /// One gallery by a core that was just started.
  ///
  /// - Returns: milliseconds from the intent to the last upload and to the published gallery; MiB above
  ///   rest at the most.
  private static func publish(
    _ bench: Bench, _ network: SandboxNetwork, _ pictures: [String], _ name: String,
    limits: JSONObject
  ) async throws -> [Double] {
    let core = try await SandboxedCore.start(
      bench, network, dataFolder: bench.path(name), limits: limits)
    try await core.shell.wait("accounts") { $0["session"] == "signedIn" }
    try await core.facts.waitForRest()
    let rest = try core.facts.resident()
    guard let draft = try await core.shell.call("gallery.createDraft")["draft"] else {
      throw BenchError("no draft was made")
    }
    let files = pictures.map { JSONValue.object(["path": .string($0)]) }
    try await core.succeed(
      try await core.shell.call("gallery.addPhotos", ["draft": draft, "files": .array(files)]))
    try await core.shell.call("gallery.setDetails", ["draft": draft, "title": "Noise"])
    // What the core sends, not what servers ask of each other: the way between those is theirs.
    await network.faults.add(
      .delay(roundTrip), on: .init(server: "pds", method: "POST"), times: 10_000)
    try await core.shell.call(
      "models/subscribe",
      [
        "subscription": "draft", "model": "galleryPublish", "args": ["draft": draft],
        "delivery": "merge",
      ])
    var uploaded = 0.0
    let published = try await Stopwatch.milliseconds {
      var verdict: JSONObject = [:]
      uploaded = try await Stopwatch.milliseconds {
        verdict = try await core.shell.call("gallery.publish", ["draft": draft])
        try await core.shell.wait("draft") { state in
          ["committing", "published", "failed"].contains(state["phase"]?.stringValue)
        }
      }
      try await core.succeed(verdict)
    }
    await network.faults.clear()
    let most = try core.facts.mostResident()
    try await core.end()
    return [uploaded, published, max(0, most - rest)]
  }

  private static func pictures(_ bench: Bench) throws -> [String] {
    try (0..<photographs).map { number in
      let path = bench.path("noise-\(number).png")
      let picture = PlainPNG.picture(width: 640, height: 466, seed: UInt32(number * 2 + 1))
      try PrivateFiles.write(picture, to: path)
      return path
    }
  }
}
