import ATSyntax
import GrainLexicon
import StrictJSON

/// A record ready to be written: checked, its type filled in, its CID known.
struct PreparedRecord: Sendable {
  let value: JSONObject
  let cid: CID
  /// Every blob it references, at any depth.
  let blobs: [BlobReference]
  /// What the answer says about its lexicon; `nil` when nobody asked.
  let validationStatus: String?

  /// Wire §11.1 and §11.5: `$type`, the lexicon as far as the server knows it, the data model.
  /// `validate` is as the request says, `nil` when it does not.
  init(_ record: JSONObject, in collection: NSID, validate: Bool?) throws(XRPCRefusal) {
    var typed = record
    switch record["$type"] {
    case nil:
      typed = JSONObject(
        [("$type", .string(collection.rawValue))] + record.members.map { ($0.key, $0.value) })
    case .string(collection.rawValue)?: break
    case let other?:
      throw .invalid(
        "Invalid $type: expected \(collection), got \(other.stringValue ?? other.typeName)")
    }
    let isKnown = KnownLexicons.names.contains(collection.rawValue)
    if validate == true, !isKnown { throw .invalid("Unknown lexicon type: \(collection)") }
    if validate != false, isKnown {
      if let fault = KnownLexicons.fault(of: typed, as: collection) {
        throw .invalid("Invalid \(collection) record: \(fault)")
      }
    }
    validationStatus = validate == false ? nil : isKnown ? "valid" : "unknown"
    guard !PreparedRecord.holdsLegacyBlob(.object(typed)) else {
      throw .invalid("Legacy blobs are not allowed")
    }
    guard case .object(let object) = PreparedRecord.normalized(.object(typed)) else {
      throw .internalError
    }
    value = object
    blobs = PreparedRecord.blobs(in: .object(object))
    do {
      // The reference stores a malformed link as the map it is (wire §11.5).
      cid = CID(dagCBOR: try DAGCBOR.encode(.object(object), malformed: .keepAsMap))
    } catch {
      // What is left by now is an integer too large for a record: a 500 of the reference.
      throw .internalError
    }
  }

  /// The part of the data model that the body's schema checks: no fractions (wire §11.5).
  /// `path` is where the record is in the body, such as `$.record`.
  static func checkDataModel(_ record: JSONObject, at path: String) throws(XRPCRefusal) {
    do {
      _ = try DAGCBOR.encode(.object(record), malformed: .keepAsMap)
    } catch .float(let literal, let place) {
      throw .invalid(
        "Expected one of null, boolean, integer, string, cid, bytes, array or object value type "
          + "(got \(literal)) at \(path)\(place.dropFirst())")
    } catch {
      // Everything else is the writer's business, later.
    }
  }

  /// `123.0` is stored as `123`.
  private static func normalized(_ value: JSONValue) -> JSONValue {
    switch value {
    case .number(let number):
      guard number.int64Value == nil, let double = number.doubleValue,
        let integer = Int64(exactly: double)
      else { return value }
      return .number(JSONNumber(integer))
    case .array(let elements): return .array(elements.map(normalized))
    case .object(let object):
      return .object(JSONObject(object.members.map { ($0.key, normalized($0.value)) }))
    default: return value
    }
  }

  private static func blobs(in value: JSONValue) -> [BlobReference] {
    if let blob = BlobReference(json: value) { return [blob] }
    switch value {
    case .array(let elements): return elements.flatMap(blobs)
    case .object(let object): return object.members.flatMap { blobs(in: $0.value) }
    default: return []
    }
  }

  private static func holdsLegacyBlob(_ value: JSONValue) -> Bool {
    switch value {
    case .array(let elements): elements.contains(where: holdsLegacyBlob)
    case .object(let object):
      (Set(object.keys) == ["cid", "mimeType"] && object["cid"]?.stringValue != nil
        && object["mimeType"]?.stringValue != nil)
        || object.members.contains { holdsLegacyBlob($0.value) }
    default: false
    }
  }
}
