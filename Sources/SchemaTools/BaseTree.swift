import Foundation
import SystemClients

/// Why the schemas of another revision cannot be read.
enum BaseTreeError: Error, Equatable {
  case noGit
  case failed(String)

  var message: String {
    switch self {
    case .noGit: "git is not there, and only git knows other revisions"
    case .failed(let words): "git cannot show that revision: \(words)"
    }
  }
}

/// Reads the schemas of another revision out of the repository, without a checkout.
struct BaseTree {
  let programs: ProgramRunner
  let environment: [String: String]
  /// The schema folder, absolute or relative to where the program stands.
  let schemas: String

  /// The schemas as they were.
  ///
  /// - Parameter revision: whatever git takes for one: a branch, a tag, a hash.
  /// - Returns: the schemas of that revision.
  /// - Throws: ``BaseTreeError`` or ``SchemaTreeError``.
  func read(_ revision: String) async throws -> SchemaTree {
    try SchemaTree(
      files: try await files(of: revision, in: "v1") { name in
        SchemaTree.isSchema(name) || ["v1/manifest.json", "v1/errors.json"].contains(name)
      })
  }

  /// The transcripts as they were, with the states they expect, by their place below the schema folder.
  func transcripts(_ revision: String) async throws -> [String: [UInt8]] {
    try await files(of: revision, in: "v1/transcripts") { _ in true }
  }

  private func files(
    of revision: String, in folder: String, _ isWanted: (String) -> Bool
  ) async throws -> [String: [UInt8]] {
    guard let git = programs.find("git") else { throw BaseTreeError.noGit }
    // The colon would end the revision's name, the dash would make it an option.
    guard !revision.hasPrefix("-"), !revision.contains(":") else {
      throw BaseTreeError.failed("“\(revision)” is no revision")
    }
    let list = try await run(git, ["ls-tree", "-r", "-z", "--name-only", revision, "--", folder])
    let names = list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter(isWanted)
    let wanted = names.map { "\(revision):./\($0)\n" }.joined()
    let answer = try await run(git, ["cat-file", "--batch"], input: Array(wanted.utf8))
    return try Self.files(names, in: answer)
  }

  private func run(_ git: String, _ words: [String], input: [UInt8] = []) async throws -> [UInt8] {
    let result = try await programs.run(
      ProgramInvocation(
        executable: git, arguments: ["-C", schemas] + words, environment: environment,
        input: input, outputLimit: 16 << 20))
    guard result.status == 0 else {
      throw BaseTreeError.failed(
        String(decoding: result.errorOutput, as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return result.output
  }

  /// Takes the files out of what `cat-file --batch` prints: a head with the size, the bytes, a line
  /// end.
  static func files(_ names: [String], in answer: [UInt8]) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var rest = answer[...]
    for name in names {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")),
        let size = Int(
          String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").last ?? ""),
        size < rest.endIndex - end
      else { throw BaseTreeError.failed("\(name) is not there") }
      files[name] = Array(rest[(end + 1)..<(end + 1 + size)])
      rest = rest[(end + 1 + size)...].dropFirst()
    }
    return files
  }
}
