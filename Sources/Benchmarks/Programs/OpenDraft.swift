import ATOAuth
import ATSyntax
import Foundation
import GrainServices
import StrictJSON
import SystemClients

/// A core with one account and a draft of so many photographs, shown by some subscriptions.
final class OpenDraft {
  let core: CoreTalk
  /// How long the first snapshots of all subscriptions took, in milliseconds, and their bytes.
  let opening: (milliseconds: Double, bytes: Int)
  private let draft: String
  private let photo: String
  private let subscriptions: Int
  private var edits = 0

  /// Makes the draft, starts the core and subscribes.
  init(photographs: Int, subscriptions: Int, _ bench: Bench) async throws {
    let folder = bench.path("draft-\(photographs)-\(subscriptions)")
    try PrivateFiles.remove(folder)
    let made = try await Self.make(photographs, in: folder)
    draft = made.id
    photo = made.photoOrder[photographs / 2]
    self.subscriptions = subscriptions
    let core = try CoreTalk(bench, dataFolder: folder)
    self.core = core
    try core.initialize()
    try await core.facts.waitForRest()
    var bytes = 0
    let milliseconds = try Stopwatch.milliseconds {
      for number in 0..<subscriptions {
        _ = try core.send(
          "models/subscribe",
          [
            "subscription": .string("s\(number)"), "model": "galleryPublish",
            "args": ["draft": .string(made.id)], "delivery": "merge", "maxRateHz": 60,
          ])
        bytes += try core.readSnapshots(1)
      }
    }
    opening = (milliseconds, bytes)
  }

  /// Describes one photograph in other words, as many letters each time.
  ///
  /// - Returns: the time to the last snapshot that shows it, and all bytes the core wrote for it.
  func change() throws -> (milliseconds: Double, bytes: Int) {
    var bytes = 0
    let milliseconds = try Stopwatch.milliseconds {
      try edit()
      bytes = try core.readSnapshots(subscriptions)
    }
    return (milliseconds, bytes)
  }

  /// Describes the photograph in other words and reads nothing.
  ///
  /// - Returns: the words.
  @discardableResult
  func edit() throws -> String {
    edits += 1
    let text = "Boats, picture \(String(edits + 100_000).dropFirst())"
    _ = try core.send(
      "gallery.setAlt", ["draft": .string(draft), "photo": .string(photo), "alt": .string(text)])
    return text
  }

  /// Reads until every subscription shows these words.
  ///
  /// - Returns: all bytes read on the way.
  func readUntilShown(_ words: String) throws -> Int {
    var (missing, bytes) = (Set((0..<subscriptions).map { "\"s\($0)\"" }), 0)
    while !missing.isEmpty {
      let line = try core.lines.line()
      bytes += line.count + 1
      let text = String(decoding: line, as: UTF8.self)
      guard text.contains(words) else { continue }
      if let shown = missing.first(where: { text.contains("\"subscription\":\($0)") }) {
        missing.remove(shown)
      }
    }
    return bytes
  }

  private static func make(_ photographs: Int, in folder: String) async throws -> Draft {
    let data = try DataFolder.open(
      folder, processID: ProcessInfo.processInfo.processIdentifier)
    defer { data.release() }
    let store = try await StoredAccounts.store(data)
    let account = try StoredAccounts.grant(0)
    _ = try await store.adopt(account, missingScopes: [])
    let drafts = try DraftStore(folder: data, clock: .live, random: .live)
    let empty = try await drafts.create(repo: account.did)
    let photos = (0..<photographs).map { number in
      var photo = DraftPhoto(id: drafts.makePhotoID(), source: "/pictures/harbour-\(number).jpg")
      photo.alt = "A harbour in the evening, boats at the quay, number \(number)."
      photo.prepared = DraftPhoto.Prepared(
        file: "\(photo.id).image", mediaType: "image/jpeg", width: 2000, height: 1500,
        bytes: 800_000, exif: nil)
      return photo
    }
    let made = try await drafts.change(empty.id) { draft in
      for photo in photos {
        draft.photos[photo.id] = photo
        draft.photoOrder.append(photo.id)
      }
    }
    guard let made else { throw BenchError("the draft is gone") }
    return made
  }
}
