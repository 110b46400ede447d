/// What the types of the schemas are called in TypeScript and Python.
enum TypeNames {
  /// Where the rule below gives a poor name.
  private static let exceptions: [String: String] = [
    "v1/common/model-header.json#/$defs/status": "ModelStatus",
    "v1/common/model-header.json#/$defs/intent": "IntentName",
    "v1/common/problem.json#/$defs/errorData": "ErrorData",
    "v1/common/problem.json#/$defs/kind": "ErrorKind",
    "v1/protocol/error.json#/$defs/error": "RpcError",
  ]

  /// The name of a `$defs` entry: the file's, then its own.
  ///
  /// An entry that a common file is about has the file's name alone, and so have the params and the
  /// result of a method, whose file is named after them.
  static func name(of place: SchemaPlace) -> String {
    if let name = exceptions[place.name] { return name }
    let parts = place.file.split(separator: "/")
    let file = (parts.last ?? "").split(separator: ".").dropLast()
    let base = file.flatMap { $0.split(separator: "-") }.map(capitalized)
    let own = capitalized(Substring(place.definition ?? ""))
    let isAbout = parts.dropFirst().first == "common" && base.last == own
    return isAbout || base.last == own ? base.joined() : base.joined() + own
  }

  private static func capitalized(_ word: Substring) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }
}
