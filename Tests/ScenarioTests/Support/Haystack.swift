import Foundation
import Testing

/// Everything a core has said or written, to be searched for what it must keep to itself.
struct Haystack {
  private var places: [(name: String, bytes: Data)] = []

  /// Adds what was said at a place.
  mutating func add(_ name: String, _ bytes: some Sequence<UInt8>) {
    places.append((name, Data(bytes)))
  }

  /// Adds every file below a folder, but for those named.
  mutating func add(folder: String, but left: Set<String> = []) throws {
    let root = URL(filePath: folder)
    let names = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
    for name in names where !left.contains(name) {
      var isFolder: ObjCBool = false
      let path = root.appending(path: name).path
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue, name != "deliver.sock"  // Nothing is in a socket.
      else { continue }
      places.append((name, try Data(contentsOf: URL(filePath: path))))
    }
  }

  /// Where a secret lies open.
  func places(with secret: some Sequence<UInt8>) -> [String] {
    let needle = Data(secret)
    return places.filter { $0.bytes.range(of: needle) != nil }.map(\.name)
  }

  /// Insists that none of the secrets lies anywhere; says which kind lies where, never the secret.
  func expectNone(
    of secrets: [Secret], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for secret in secrets {
      let found = places(with: secret.bytes)
      #expect(found.isEmpty, "\(secret.kind) in \(found)", sourceLocation: sourceLocation)
    }
  }

  /// A secret and what it is.
  struct Secret: Hashable {
    let kind: String
    let bytes: [UInt8]

    init(_ kind: String, _ text: some StringProtocol) {
      self.kind = kind
      bytes = Array(text.utf8)
    }

    init(_ kind: String, _ bytes: [UInt8]) {
      self.kind = kind
      self.bytes = bytes
    }
  }
}
