import Glibc

extension PrivateFiles {
  /// What is wrong with a folder that should be private.
  package struct Survey: Equatable, Sendable {
    /// Paths others may look into; ``tidy(_:)`` mends them.
    package var loose: [String] = []
    /// Paths that belong to another user; ``tidy(_:)`` refuses them.
    package var foreign: [String] = []
    /// How many files there are.
    package var files = 0

    /// Nothing found.
    package init() {}
  }

  /// Looks at a folder and everything below it, and changes nothing.
  ///
  /// - Throws: `FileError.notFound` where there is no folder.
  package static func survey(_ folder: String) throws(FileError) -> Survey {
    var survey = Survey()
    var facts = stat()
    guard stat(folder, &facts) == 0 else { throw .reading(folder, errno: errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .other(folder, errno: ENOTDIR) }
    try note(folder, facts, in: &survey)
    return survey
  }

  private static func note(
    _ path: String, _ facts: stat, in survey: inout Survey
  ) throws(FileError) {
    if facts.st_uid != geteuid() {
      survey.foreign.append(path)
    } else if facts.st_mode & 0o077 != 0 {
      survey.loose.append(path)
    }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      survey.files += 1
      return
    }
    for name in try names(in: path) {
      var facts = stat()
      guard lstat("\(path)/\(name)", &facts) == 0 else { continue }  // Gone in between.
      if facts.st_mode & S_IFMT != S_IFLNK { try note("\(path)/\(name)", facts, in: &survey) }
    }
  }
}
