import Foundation
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// How many requests each thing a person does costs, held to the table of the README.
@Suite("What things cost on the network", .serialized)
struct NetworkCostTests {
  @Test("each action sends as many requests as the README says, and no more")
  func table() async throws {
    let table = try CostTable.inReadme()
    var actions = Set(table.rows.map(\.action))
    for cost in try await CostStory.told() {
      guard let row = table.rows.first(where: { $0.action == cost.action }) else {
        Issue.record("the README lacks: \(cost.action): \(cost.requests.joined(separator: ", "))")
        continue
      }
      actions.remove(cost.action)
      #expect(
        cost.requests.count == row.requests,
        "\(cost.action): \(cost.requests.joined(separator: ", "))")
      #expect(row.least <= row.requests)
      #expect(row.least == row.requests || row.reason.count > 10, "\(cost.action) gives no reason")
    }
    #expect(actions.isEmpty, "no test plays \(actions.sorted())")
  }
}

/// One thing a person did, and what the core asked for because of it.
struct Cost: Sendable {
  let action: String
  /// Method and path of each request, in order.
  let requests: [String]
}

/// The table of the README.
struct CostTable {
  struct Row {
    let action: String
    let requests: Int
    let least: Int
    let reason: String
  }

  /// The heading of its first column.
  private static let heading = "| What a person does |"
  let rows: [Row]

  /// Reads the table of this repository's README.
  static func inReadme(_ file: String = #filePath) throws -> CostTable {
    let top = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix(heading) }, "the README has no table")
    let body = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
    return CostTable(rows: try body.map(row))
  }

  private static func row(_ line: Substring) throws -> Row {
    let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    try #require(cells.count == 4, "\(line)")
    return Row(
      action: cells[0], requests: try #require(Int(cells[1])), least: try #require(Int(cells[2])),
      reason: cells[3])
  }
}

/// A person's day, request by request.
struct CostStory {
  private let world: World
  private let core: CoreSession
  private var costs: [Cost] = []
  private var seen = 0

  /// Plays it; what goes on in the background is waited for until the table's number is reached.
  static func told() async throws -> [Cost] {
    var costs: [Cost] = []
    try await World.run { (world) async throws -> Void in
      costs = try await play(in: world)
    }
    return costs
  }

  private static func play(in world: World) async throws -> [Cost] {
    let first = try await world.core()
    var story = CostStory(world: world, core: first)
    var did = ""
    try await story.note("signs in, with nothing known") { shell in
      did = try await shell.signIn("alice.test")
    }
    var bob = ""
    try await story.note("signs in to a second account of the same server") { shell in
      bob = try await shell.signIn("bob.test")
    }
    try await story.note("switches to an account whose token is good") { shell in
      let verdict = try await shell.call("accounts.switch", ["account": .string(did)])
      #expect(try await shell.ending(of: verdict).description == "succeeded")
    }
    var draft = ""
    let photos = try world.samplePhotos()
    try await story.note("makes a draft and adds photographs") { shell in
      draft = try await shell.draft(photos)
    }
    try await story.note("publishes three photographs") { shell in
      let ending = try await shell.publish(draft)
      #expect(ending.description == "succeeded")
    }
    let gallery = try #require(try await world.repository().galleries.first?.uri)
    var edit = ""
    try await story.note("opens a published gallery to edit it") { shell in
      edit = try await shell.edit(gallery)
    }
    try await story.note("publishes the change of a title") { shell in
      try await shell.call("gallery.setDetails", ["draft": .string(edit), "title": "Another"])
      let ending = try await shell.publish(edit)
      #expect(ending.description == "succeeded")
    }
    try await story.note("deletes a gallery") { shell in
      let verdict = try await shell.call("gallery.deletePublished", ["gallery": .string(gallery)])
      #expect(try await shell.ending(of: verdict).description == "succeeded")
    }
    try await first.end()

    var second = CostStory(world: world, core: try await world.silentCore())
    try await second.note("starts the program, signed in with a good token") { shell in
      try await shell.initialize()
    }
    world.network.clockOffset = 7200
    world.clock.ahead = 7200
    try await second.note("switches to an account whose token has run out") { shell in
      let verdict = try await shell.call("accounts.switch", ["account": .string(bob)])
      #expect(try await shell.ending(of: verdict).description == "succeeded")
    }
    try await second.note("signs out") { shell in try await shell.signOut(bob) }
    try await second.core.end()

    var third = CostStory(world: world, core: try await world.silentCore())
    try await third.note("starts the program, signed in with a token that has run out") { shell in
      try await shell.initialize()
    }
    try await third.core.end()
    return story.costs + second.costs + third.costs
  }

  private mutating func note(
    _ action: String, _ work: (Shell) async throws -> Void
  ) async throws {
    try await work(core.shell)
    let expected = try CostTable.inReadme().rows.first { $0.action == action }?.requests ?? 0
    let (tap, seen) = (core.tap, self.seen)
    do {
      try await within("\(action): request \(expected)") {
        // What is under way may still learn a nonce, or not learn it any more.
        while tap.endedCount < seen + expected { await Task.yield() }
      }
    } catch is Overdue {
      // The comparison with the table says which are missing.
    }
    let new = tap.requests[seen...]
    costs.append(Cost(action: action, requests: new.map { "\($0.method) \($0.url.path())" }))
    self.seen += new.count
  }
}
