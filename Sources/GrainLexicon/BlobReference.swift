package import ATSyntax
package import StrictJSON

/// A blob as `uploadBlob` returned it and as records reference it, unchanged.
package struct BlobReference: Codable, Hashable, Sendable {
  /// The content that is meant.
  package let cid: CID
  /// What the server found the bytes to be; it may differ from what was declared.
  package let mimeType: String
  /// In bytes.
  package let size: Int

  /// A reference to a blob that was uploaded.
  package init(cid: CID, mimeType: String, size: Int) {
    self.cid = cid
    self.mimeType = mimeType
    self.size = size
  }

  /// Reads `{"$type":"blob","ref":{"$link":…},"mimeType":…,"size":…}`; `nil` for anything else.
  package init?(json: JSONValue) {
    guard json["$type"]?.stringValue == "blob", let link = json["ref"]?["$link"]?.stringValue,
      let mimeType = json["mimeType"]?.stringValue, let size = json["size"]?.intValue, size >= 0
    else { return nil }
    do {
      self.init(cid: try CID(link), mimeType: mimeType, size: size)
    } catch {
      return nil
    }
  }

  /// As records carry it.
  package var json: JSONValue {
    [
      "$type": "blob", "ref": ["$link": .string(cid.rawValue)], "mimeType": .string(mimeType),
      "size": .number(JSONNumber(size)),
    ]
  }
}

/// A record's address together with the version that is meant.
package struct StrongRef: Codable, Hashable, Sendable {
  /// The record.
  package let uri: ATURI
  /// The content that is meant.
  package let cid: CID

  /// A reference to one version of a record.
  package init(uri: ATURI, cid: CID) {
    self.uri = uri
    self.cid = cid
  }

  /// With the `$type` that union members need.
  package var json: JSONValue {
    [
      "$type": "com.atproto.repo.strongRef", "uri": .string(uri.rawValue),
      "cid": .string(cid.rawValue),
    ]
  }
}

/// Width and height of a picture, orientation applied; each at least 1.
package struct AspectRatio: Codable, Hashable, Sendable {
  /// At least 1.
  package let width: Int
  /// At least 1.
  package let height: Int

  /// Sides in pixels, or anything in their proportion.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// As records carry it.
  package var json: JSONValue {
    ["width": .number(JSONNumber(width)), "height": .number(JSONNumber(height))]
  }

  var violations: [LexiconViolation] {
    [width, height].filter { $0 < 1 }.map { LexiconViolation("aspectRatio", .outOfRange($0)) }
  }
}
