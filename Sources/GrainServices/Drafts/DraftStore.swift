package import ATSyntax
import Foundation
import GrainLexicon
import SQLiteDatabase
import StrictJSON
package import SystemClients

/// Drafts on disk: every change is one transaction, saved before anybody hears of it.
///
/// Pictures lie in the draft's folder of the data folder. Whatever a newer core has written is neither
/// shown nor touched. Source: grain-product §12.
package actor DraftStore {
  /// Under which name it is kept when somebody looked at the drafts last.
  private static let lookSetting = "draftsLookedAt"

  private let database: SQLiteConnection
  private let folder: DataFolder
  private let clock: SystemClock
  private let random: SystemRandom
  private let keys: TIDGenerator
  /// What is on disk, of the drafts that were read: nobody else writes there, and a draft of many
  /// photographs costs no reading again when one of them changes.
  private var held: [String: Draft] = [:]
  /// What the clock said when somebody looked at the drafts last; read at the first sweep.
  private var lastLook: Date?

  /// Opens the drafts of an already migrated database; ``sweep(expiringAfter:)`` at the start.
  package init(
    folder: DataFolder, clock: SystemClock, random: SystemRandom
  ) throws(StoreFault) {
    do throws(SQLiteError) {
      database = try SQLiteConnection(path: folder.databasePath)
    } catch {
      throw StoreFault(error)
    }
    self.folder = folder
    self.clock = clock
    self.random = random
    keys = TIDGenerator(clockID: random.integer(below: 1024))
  }

  /// Makes an empty draft for an account, or one that a published gallery is about to be read into.
  package func create(repo: DID, opening: RecordKey? = nil) throws(StoreFault) -> Draft {
    var draft = Draft(id: makeID(16), repo: repo, createdAt: try stored { try stamp() })
    draft.opening = opening
    // The folder first: left alone by a crash it is swept, a draft without one could not be filled.
    do throws(FileError) {
      try PrivateFiles.makeFolder(folder.draftFolder(draft.id))
    } catch {
      throw StoreFault(error)
    }
    try stored {
      try database.execute(
        "INSERT INTO draft (id, repo, created_at, body) VALUES (?, ?, ?, ?)",
        [
          .text(draft.id), .text(repo.rawValue), .text(draft.createdAt.rawValue),
          .text(try body(draft)),
        ])
    }
    held[draft.id] = draft
    return draft
  }

  /// The drafts of one account, oldest first.
  package func drafts(of repo: DID) throws(StoreFault) -> [Draft] {
    try stored {
      try database.query(
        "SELECT id FROM draft WHERE repo = ? ORDER BY created_at, rowid", [.text(repo.rawValue)]
      ).compactMap { row in try row.text("id").flatMap(load) }
    }
  }

  /// One draft, or `nil` when it is gone.
  package func draft(_ id: String) throws(StoreFault) -> Draft? {
    try stored { try load(id) }
  }

  /// Changes a draft in one transaction and stamps the time of the change.
  ///
  /// - Returns: the draft as it now stands on disk, or `nil` when it is gone.
  package func change(
    _ id: String, _ edit: @Sendable (inout Draft) -> Void
  ) throws(StoreFault) -> Draft? {
    try stored {
      guard let before = try load(id) else { return nil }
      var draft = before
      draft.change(at: try stamp(), edit)
      try save(draft, replacing: before)
      return draft
    }
  }

  /// Fixes the record keys, ascending in the person's order, unless a commit may have landed already.
  ///
  /// - Returns: the draft with keys, or `nil` when it is gone.
  package func assignKeys(_ id: String) throws(StoreFault) -> Draft? {
    try stored {
      guard let before = try load(id) else { return nil }
      if let sending = before.sending, sending.unansweredCommits > 0 || sending.committed {
        return before
      }
      let time = try stamp()
      var photoKeys: [String: Draft.PhotoKeys] = [:]
      for photo in before.photoOrder {
        let known = before.published?.photos[photo]
        photoKeys[photo] = Draft.PhotoKeys(
          photo: known?.photo.key ?? makeKey(), exif: known?.exif.first?.key ?? makeKey(),
          item: known?.item.key ?? makeKey())
      }
      let sending = Draft.Sending(
        galleryKey: before.published?.gallery.key ?? makeKey(), photoKeys: photoKeys,
        postKey: makeKey(), editedAt: before.published == nil ? nil : time)
      var draft = before
      draft.change(at: time) { $0.sending = sending }
      try save(draft, replacing: before)
      return draft
    }
  }

  /// Removes a draft and its pictures; removing what is gone is success.
  package func remove(_ id: String) throws(StoreFault) {
    try stored { try database.execute("DELETE FROM draft WHERE id = ?", [.text(id)]) }
    held[id] = nil
    do throws(FileError) {
      try PrivateFiles.remove(folder.draftFolder(id))
    } catch {
      throw StoreFault(error)
    }
  }

  /// Removes all drafts of an account, those of a newer core too.
  package func removeAll(of repo: DID) throws(StoreFault) {
    let ids = try stored {
      try database.query("SELECT id FROM draft WHERE repo = ?", [.text(repo.rawValue)])
        .compactMap { $0.text("id") }
    }
    for id in ids { try remove(id) }
  }

  /// Removes drafts nobody has touched for that many days, unless a publish is unfinished, and what a crash
  /// between two steps left behind: picture folders that no draft owns, and drafts that an earlier core was
  /// reading a published gallery into. Nothing in those is the person's; whoever still wants them asks anew.
  package func sweep(expiringAfter days: Int) throws(StoreFault) {
    var owned: Set<String> = []
    var aging: [Draft] = []
    for row in try stored({ try database.query("SELECT id FROM draft") }) {
      guard let id = row.text("id") else { continue }
      // A draft that cannot be read is left as it is.
      let draft = try? held[id] ?? loadBody(id)
      // What this core reads or has read is held.
      if draft?.opening != nil, held[id] == nil {
        try remove(id)
        continue
      }
      owned.insert(id)
      if let draft { aging.append(draft) }
    }
    for id in expired(aging, after: days) {
      try remove(id)
      owned.remove(id)
    }
    let drafts = folder.path + "/drafts"
    let found: [String]
    do {
      found = try FileManager.default.contentsOfDirectory(atPath: drafts)
    } catch {
      throw .unwritable("\(drafts) cannot be read")
    }
    for name in found where !owned.contains(name) {
      do throws(FileError) {
        try PrivateFiles.remove("\(drafts)/\(name)")
      } catch {
        throw StoreFault(error)
      }
    }
  }

  /// The drafts whose time is over (``Draft/isOver(at:after:lastLook:)``); that somebody has looked is on disk
  /// before any of them goes.
  private func expired(_ drafts: [Draft], after days: Int) -> [String] {
    let now = clock.now()
    var (over, kept) = ([String](), [Draft]())
    do {
      if lastLook == nil { lastLook = try storedLook() }
      guard !drafts.isEmpty else { return [] }
      try database.transaction {
        for var draft in drafts {
          let before = draft.keptUntil
          if draft.isOver(at: now, after: days, lastLook: lastLook) { over.append(draft.id) }
          guard draft.keptUntil != before else { continue }
          kept.append(draft)
          try database.execute(
            "UPDATE draft SET body = ? WHERE id = ?", [.text(try body(draft)), .text(draft.id)])
        }
        try note(now)
      }
    } catch {
      // A disk that takes no note of it lets nothing expire.
      return []
    }
    lastLook = now
    for draft in kept { held[draft.id]?.keptUntil = draft.keptUntil }
    return over
  }

  /// Whether a photograph's prepared copy is there, and not only noted.
  package nonisolated func hasPrepared(_ photo: DraftPhoto, of draft: String) -> Bool {
    guard let file = photo.prepared?.file else { return false }
    return FileManager.default.fileExists(atPath: preparedPath(draft, file: file))
  }

  /// Where a photograph's prepared copy lies or will lie.
  package nonisolated func preparedPath(_ draft: String, file: String) -> String {
    "\(folder.draftFolder(draft))/\(file)"
  }

  /// A fresh photograph id.
  package nonisolated func makePhotoID() -> String { makeID(8) }

  /// Removes a prepared copy whose photograph was taken out of its draft.
  nonisolated func removePrepared(_ file: String, of draft: String) {
    // What cannot be removed now goes with the draft.
    try? PrivateFiles.remove(preparedPath(draft, file: file))
  }

  // MARK: Rows

  private func load(_ id: String) throws -> Draft? {
    if let draft = held[id] { return draft }
    guard var draft = try loadBody(id) else { return nil }
    let decoder = JSONValueDecoder()
    for row in try database.query("SELECT id, body FROM draft_photo WHERE draft = ?", [.text(id)]) {
      guard let photo = row.text("id"), let body = row.text("body") else { continue }
      draft.photos[photo] = try decoder.decode(
        DraftPhoto.self, from: JSONParser.parse(Array(body.utf8), limits: .document))
    }
    held[id] = draft
    return draft
  }

  /// A draft without its photographs; `nil` when it is gone or was written by a newer core.
  private func loadBody(_ id: String) throws -> Draft? {
    guard
      let body = try database.query("SELECT body FROM draft WHERE id = ?", [.text(id)])
        .first?.text("body")
    else { return nil }
    let json = try JSONParser.parse(Array(body.utf8), limits: .document)
    if let format = json["format"]?.intValue, format > Draft.format { return nil }
    return try JSONValueDecoder().decode(Draft.self, from: json)
  }

  /// Saves a change in one transaction; the copies of photographs that were taken out go after it.
  private func save(_ draft: Draft, replacing before: Draft) throws {
    try database.transaction { try write(draft, replacing: before) }
    held[draft.id] = draft
    for (id, photo) in before.photos where draft.photos[id] == nil {
      if let file = photo.prepared?.file { removePrepared(file, of: draft.id) }
    }
  }

  /// Writes the draft's own row and only the photographs that differ, so one caption costs one row.
  private func write(_ draft: Draft, replacing before: Draft) throws {
    try database.execute(
      "UPDATE draft SET body = ? WHERE id = ?", [.text(try body(draft)), .text(draft.id)])
    for (id, photo) in draft.photos where before.photos[id] != photo {
      let text = try JSONValueEncoder().encode(photo).text()
      try database.execute(
        """
        INSERT INTO draft_photo (draft, id, body) VALUES (?, ?, ?)
        ON CONFLICT (draft, id) DO UPDATE SET body = excluded.body
        """, [.text(draft.id), .text(id), .text(text)])
    }
    for id in before.photos.keys where draft.photos[id] == nil {
      try database.execute(
        "DELETE FROM draft_photo WHERE draft = ? AND id = ?", [.text(draft.id), .text(id)])
    }
  }

  private func body(_ draft: Draft) throws -> String {
    var bare = draft
    bare.photos = [:]
    return try JSONValueEncoder().encode(bare).text()
  }

  private func stored<T>(_ work: () throws -> T) throws(StoreFault) -> T {
    do {
      return try work()
    } catch let error as SQLiteError {
      throw StoreFault(error)
    } catch {
      throw .corrupt("a draft cannot be read: \(error)")
    }
  }

  // MARK: Time

  /// The time of a change. A clock that is behind the last look is noted: what it says when it is right
  /// again must not pass for days in which somebody looked.
  private func stamp() throws -> ATDateTime {
    let now = clock.now()
    if let lastLook, now < lastLook {
      try note(now)
      self.lastLook = now
    }
    return ATDateTime(now)
  }

  private func note(_ look: Date) throws {
    try database.execute(
      """
      INSERT INTO setting (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """, [.text(Self.lookSetting), .text(ATDateTime(look).rawValue)])
  }

  private func storedLook() throws -> Date? {
    let text = try database.query(
      "SELECT value FROM setting WHERE name = ?", [.text(Self.lookSetting)]
    ).first?.text("value")
    // What is no time says nothing, like none.
    return text.flatMap { try? ATDateTime($0).date }
  }

  private func makeKey() -> RecordKey { RecordKey(keys.next(at: clock.now())) }

  private nonisolated func makeID(_ length: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(random.bytes(length).map { letters[Int($0) % letters.count] })
  }
}
