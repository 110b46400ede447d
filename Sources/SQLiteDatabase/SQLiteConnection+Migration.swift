import CSQLite

extension SQLiteConnection {
  /// Brings the database up to the newest schema this program knows.
  ///
  /// The number of steps already taken is the file's `user_version`; whose file it is, its
  /// `application_id`. Both are read from the bytes of the file and its log, before anything is
  /// written, so a refused file keeps every byte (FB-E7).
  /// - Parameters:
  ///   - migrations: every step from the empty file on, in order; each may hold several statements.
  ///     A released step is never changed again.
  ///   - applicationID: our mark, not zero.
  /// - Throws: `SQLiteError.newerSchema` where more steps were taken than are known here;
  ///   `.foreignApplication` where the mark is another, or missing from a file that is not empty;
  ///   any other case if a step fails, and then none of the missing steps is taken.
  package func migrate(_ migrations: [String], applicationID: Int32) throws(SQLiteError) {
    let header = try header()
    let isOurs = header.applicationID == applicationID
    guard isOurs || header == .new else { throw .foreignApplication }
    guard header.userVersion <= migrations.count else {
      throw .newerSchema(found: header.userVersion, known: migrations.count)
    }
    try prepare()
    guard header.userVersion < migrations.count || !isOurs else { return }
    do {
      try transaction {
        // Another connection may have taken the steps since.
        let taken = try query("PRAGMA user_version").first?.integer("user_version") ?? 0
        for migration in migrations.dropFirst(Int(taken)) { try run(migration) }
        try run("PRAGMA user_version = \(max(Int(taken), migrations.count))")
        try run("PRAGMA application_id = \(applicationID)")
      }
    } catch let error as SQLiteError {
      throw error
    } catch {
      throw .other(code: SQLITE_ERROR, message: "a migration failed")
    }
  }

  /// Whether nothing was ever stored here: the file is new or empty, or holds a schema of nothing.
  /// Writes nothing.
  package func isBlank() throws(SQLiteError) -> Bool {
    try header() == .new
  }

  /// What the newest first page says, be it in the file or still in its log.
  private func header() throws(SQLiteError) -> DatabaseHeader {
    guard path != ":memory:" else { return try memoryHeader() }
    let inFile = try fileHeader()
    guard inFile != nil, let inLog = WriteAheadLog.firstPage(ofDatabase: path) else {
      return inFile ?? .new
    }
    return try DatabaseHeader(page: inLog)
  }

  /// What the first page of the main file says; nil where there is none yet (SQLite throws a log
  /// beside an empty file away, and so do we).
  func fileHeader() throws(SQLiteError) -> DatabaseHeader? {
    // Through SQLite's own descriptor; see `DatabaseFile.prepare`.
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let methods = file.pointee.pMethods?.pointee, let xRead = methods.xRead,
      let xFileSize = methods.xFileSize
    else { throw .cannotOpen("no file behind the connection") }
    var size: sqlite3_int64 = 0
    guard xFileSize(file, &size) == SQLITE_OK else { throw .cannotOpen("no size") }
    guard size > 0 else { return nil }
    var page = [UInt8](repeating: 0, count: DatabaseHeader.length)
    let code = xRead(file, &page, Int32(page.count), 0)
    // A short read (the file ends early) leaves zeros, and the page is judged by them.
    guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else {
      throw .cannotOpen("cannot be read")
    }
    return try DatabaseHeader(page: page)
  }

  private func memoryHeader() throws(SQLiteError) -> DatabaseHeader {
    let applicationID = try query("PRAGMA application_id").first?.integer("application_id") ?? 0
    let version = try query("PRAGMA user_version").first?.integer("user_version") ?? 0
    let objects = try query("SELECT count(*) AS n FROM sqlite_schema").first?.integer("n") ?? 0
    return DatabaseHeader(
      applicationID: Int32(applicationID), userVersion: Int(version), isEmpty: objects == 0)
  }
}
