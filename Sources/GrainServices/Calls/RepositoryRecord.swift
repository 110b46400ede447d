package import ATSyntax
package import StrictJSON

/// A record as a repository holds it.
package struct RepositoryRecord: Codable, Equatable, Sendable {
  /// Its key in its collection.
  package let key: RecordKey
  /// Its version.
  package let cid: CID
  /// What it says, members this core does not know included.
  package let value: JSONObject

  /// A record that was read.
  package init(key: RecordKey, cid: CID, value: JSONObject) {
    self.key = key
    self.cid = cid
    self.value = value
  }

  /// Reads one element of a `listRecords` answer, or a `getRecord` answer; `nil` for anything else.
  package init?(json: JSONValue) {
    guard let value = json["value"]?.objectValue else { return nil }
    do throws(SyntaxError) {
      guard let key = try ATURI(json["uri"]?.stringValue ?? "").recordKey else { return nil }
      self.init(key: key, cid: try CID(json["cid"]?.stringValue ?? ""), value: value)
    } catch {
      return nil
    }
  }
}

/// Some records of one collection.
package struct RecordPage: Equatable, Sendable {
  /// The records of this page.
  package let records: [RepositoryRecord]
  /// Where the next page begins; `nil` on the last.
  package let cursor: String?

  /// A page that was read.
  package init(records: [RepositoryRecord], cursor: String? = nil) {
    self.records = records
    self.cursor = cursor
  }
}
