/// Writes the list of files the compiler puts into the program, for `grain-core --schemas`.
enum EmbeddedFilesWriter {
  /// The list: manifest, registry and every schema.
  static func text(of tree: SchemaTree) -> String {
    let names = ["v1/errors.json", "v1/manifest.json"] + tree.schemas.keys.sorted()
    var lines = [SwiftText.head, ""]
    for (index, name) in names.enumerated() {
      lines += [
        "static const unsigned char file\(index)[] = {", "#embed \"../../Schemas/\(name)\"", "};",
      ]
    }
    lines += ["", "static const struct grain_schema_file files[] = {"]
    for (index, name) in names.enumerated() {
      lines.append("  {\"\(name)\", file\(index), sizeof(file\(index))},")
    }
    return (lines + ["};"]).joined(separator: "\n") + "\n"
  }
}
