package import ATSyntax
import Foundation
import GrainLexicon
import SQLiteDatabase
import StrictJSON
package import SystemClients

/// Drafts on disk: every change is one transaction, saved before anybody hears of it.
///
/// Pictures lie in the draft's folder of the data folder; a folder without a draft is swept at the
/// start. Source: grain-product §12.
package actor DraftStore {
  private let database: SQLiteConnection
  private let folder: DataFolder
  private let clock: SystemClock
  private let random: SystemRandom
  private let keys: TIDGenerator

  /// Opens the drafts of an already migrated database; ``sweep()`` once at the start.
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

  /// Makes an empty draft for an account.
  package func create(repo: DID) throws(StoreFault) -> Draft {
    let draft = Draft(id: makeID(16), repo: repo, createdAt: now())
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
      try database.transaction {
        guard var draft = try load(id) else { return nil }
        let before = draft
        draft.change(at: now(), edit)
        try save(draft, replacing: before)
        return draft
      }
    }
  }

  /// Fixes the record keys, ascending in the person's order, unless a commit may have landed already.
  ///
  /// - Returns: the draft with keys, or `nil` when it is gone.
  package func assignKeys(_ id: String) throws(StoreFault) -> Draft? {
    try stored {
      try database.transaction {
        guard var draft = try load(id) else { return nil }
        if let sending = draft.sending, sending.unansweredCommits > 0 || sending.committed {
          return draft
        }
        let before = draft
        var photoKeys: [String: Draft.PhotoKeys] = [:]
        for photo in draft.photoOrder {
          photoKeys[photo] = Draft.PhotoKeys(photo: makeKey(), exif: makeKey(), item: makeKey())
        }
        let sending = Draft.Sending(galleryKey: makeKey(), photoKeys: photoKeys)
        draft.change(at: now()) { $0.sending = sending }
        try save(draft, replacing: before)
        return draft
      }
    }
  }

  /// Removes a draft and its pictures; removing what is gone is success.
  package func remove(_ id: String) throws(StoreFault) {
    try stored { try database.execute("DELETE FROM draft WHERE id = ?", [.text(id)]) }
    do throws(FileError) {
      try PrivateFiles.remove(folder.draftFolder(id))
    } catch {
      throw StoreFault(error)
    }
  }

  /// Removes picture folders that no draft owns: what a crash between two steps left behind.
  package func sweep() throws(StoreFault) {
    let owned = Set(
      try stored { try database.query("SELECT id FROM draft").compactMap { $0.text("id") } })
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

  // MARK: Rows

  private func load(_ id: String) throws -> Draft? {
    let decoder = JSONValueDecoder()
    guard
      let body = try database.query("SELECT body FROM draft WHERE id = ?", [.text(id)])
        .first?.text("body")
    else { return nil }
    var draft = try decoder.decode(
      Draft.self, from: JSONParser.parse(Array(body.utf8), limits: .document))
    for row in try database.query("SELECT id, body FROM draft_photo WHERE draft = ?", [.text(id)]) {
      guard let photo = row.text("id"), let body = row.text("body") else { continue }
      draft.photos[photo] = try decoder.decode(
        DraftPhoto.self, from: JSONParser.parse(Array(body.utf8), limits: .document))
    }
    return draft
  }

  /// Writes the draft's own row and only the photographs that differ, so one caption costs one row.
  private func save(_ draft: Draft, replacing before: Draft) throws {
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

  private func now() -> ATDateTime { ATDateTime(clock.now()) }

  private func makeKey() -> RecordKey { RecordKey(keys.next(at: clock.now())) }

  private nonisolated func makeID(_ length: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(random.bytes(length).map { letters[Int($0) % letters.count] })
  }
}
