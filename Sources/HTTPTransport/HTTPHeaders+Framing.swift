extension HTTPHeaders {
  /// The comma-separated items of a field, in lower case and without surrounding white space.
  package func items(_ name: String) -> [String] {
    all(name).flatMap { $0.split(separator: ",") }
      .map { item in
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let front = item.drop(while: isSpace)
        return String(front.reversed().drop(while: isSpace).reversed()).lowercased()
      }
      .filter { !$0.isEmpty }
  }

  /// What `Content-Length` says, `nil` without the field.
  ///
  /// - Throws: `MessageFault.malformed` for anything but one number, repeated or not.
  package func contentLength() throws(MessageFault) -> Int? {
    let lengths = Set(items("Content-Length"))
    guard let length = lengths.first else {
      guard self["Content-Length"] == nil else { throw .malformed("Content-Length") }
      return nil
    }
    guard lengths.count == 1, length.utf8.count < 18,
      length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length)
    else { throw .malformed("Content-Length") }
    return count
  }
}
