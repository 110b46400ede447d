package import ATSyntax
import Foundation
package import HTTPServing
import SQLiteDatabase
package import StrictJSON
import SystemClients

/// The directory of `did:plc` identities: takes signed operations, serves DID documents.
///
/// It checks what the real one checks — the DID is the hash of its first operation, each later one
/// names the one before and is signed by a rotation key of it. Source: did:plc specification; wire
/// reference §2.1.
package final class PLCDirectory: Sendable {
  /// Its tables, in the order in which they are made.
  package static let migrations = [
    """
    CREATE TABLE plc_operation (
      did TEXT NOT NULL, number INTEGER NOT NULL, operation TEXT NOT NULL,
      PRIMARY KEY (did, number)) STRICT;
    """
  ]

  /// How documents differ from the usual form, for tests of what clients must cope with (§16.11).
  package struct Variation: Sendable {
    /// Entry ids are written `<did>#atproto_pds` instead of `#atproto_pds`.
    package var absoluteIDs = false
    /// The endpoint ends with a slash.
    package var trailingSlash = false
    /// A tombstone answers 410, as the published API says, instead of 404 as the source does.
    package var goneIs410 = false
    /// Documents served instead of the real ones.
    package var replacements: [DID: JSONValue] = [:]

    /// Documents in the usual form.
    package init() {}
  }

  private let store: SandboxStore
  private let variation = Locked(Variation())

  /// A directory with the identities in the store.
  package init(store: SandboxStore) { self.store = store }

  /// Changes how documents are written; the next request meets it.
  package func vary(_ change: (inout Variation) -> Void) {
    variation.withLock { change(&$0) }
  }

  /// Answers `GET /<did>` with a document and `POST /<did>` with a verdict on an operation.
  package func handle(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    let name = PercentDecoding.decode(request.path.dropFirst()) ?? ""
    if name.isEmpty || name == "_health" { return .json(Array(#"{"version":"sandbox"}"#.utf8)) }
    // Whatever is wrong with the name, the directory's answer is the same.
    guard let did = try? DID(name), did.method == .plc, did.isBlessed else {
      return PLCDirectory.message("Not a valid DID: \(name)", status: 400)
    }
    do {
      switch request.method {
      case "GET", "HEAD": return try await document(of: did)
      case "POST": return try await append(request, to: did)
      default: return PLCDirectory.message("Method not allowed", status: 405)
      }
    } catch {
      return PLCDirectory.message("Internal server error", status: 500)
    }
  }

  private func document(of did: DID) async throws -> HTTPServerResponse {
    let variation = variation.withLock { $0 }
    if let replacement = variation.replacements[did] { return PLCDirectory.document(replacement) }
    guard let operation = try await log(of: did).last else {
      return PLCDirectory.message("DID not registered: \(did)", status: 404)
    }
    guard !operation.isTombstone else {
      return PLCDirectory.message(
        "DID not available: \(did)", status: variation.goneIs410 ? 410 : 404)
    }
    return PLCDirectory.document(operation.document(of: did, variation))
  }

  private func append(_ request: HTTPServerRequest, to did: DID) async throws -> HTTPServerResponse
  {
    guard request.body.count <= 4000, let json = PLCDirectory.json(request.body),
      let operation = PLCOperation(json: json), let cid = operation.cid
    else { return PLCDirectory.message("Not a valid operation", status: 400) }
    let log = try await log(of: did)
    if let last = log.last {
      guard !last.isTombstone, operation.previous == last.cid?.rawValue,
        operation.isSigned(byAnyOf: last.rotationKeys)
      else { return PLCDirectory.message("Operation refused: \(cid)", status: 400) }
    } else {
      guard operation.previous == nil, !operation.isTombstone, operation.did == did,
        operation.isSigned(byAnyOf: operation.rotationKeys)
      else { return PLCDirectory.message("Operation refused: \(cid)", status: 400) }
    }
    let (number, text) = (log.count, JSONValue.object(operation.json).text())
    try await store.write { database in
      // A second writer of the same number breaks the primary key and is answered 500.
      try database.execute(
        "INSERT INTO plc_operation (did, number, operation) VALUES (?, ?, ?)",
        [.text(did.rawValue), .integer(Int64(number)), .text(text)])
    }
    return .empty(status: 200)
  }

  private func log(of did: DID) async throws -> [PLCOperation] {
    let rows = try await store.read { database in
      try database.query(
        "SELECT operation FROM plc_operation WHERE did = ? ORDER BY number", [.text(did.rawValue)])
    }
    return rows.compactMap { row in
      PLCDirectory.json(Array((row.text("operation") ?? "").utf8)).flatMap(PLCOperation.init(json:))
    }
  }

  private static func json(_ bytes: [UInt8]) -> JSONValue? {
    // The directory does not say what is wrong with a body.
    try? JSONParser.parse(bytes)
  }

  private static func document(_ json: JSONValue) -> HTTPServerResponse {
    .json(json.serialized(), contentType: "application/did+ld+json; charset=utf-8")
  }

  private static func message(_ text: String, status: Int) -> HTTPServerResponse {
    .json(
      JSONValue.object(["message": .string(text)]).serialized(), status: status,
      contentType: "application/json; charset=utf-8")
  }
}

extension PLCOperation {
  /// The DID document the operation stands for (wire §2.1).
  fileprivate func document(of did: DID, _ variation: PLCDirectory.Variation) -> JSONValue {
    let prefix = variation.absoluteIDs ? did.rawValue : ""
    let methods = json["verificationMethods"]?.objectValue?.members ?? []
    let services = json["services"]?.objectValue?.members ?? []
    return [
      "@context": [
        "https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1",
        "https://w3id.org/security/suites/ecdsa-2019/v1",
      ],
      "id": .string(did.rawValue),
      "alsoKnownAs": json["alsoKnownAs"] ?? [],
      "verificationMethod": .array(
        methods.map { name, key in
          [
            "id": .string("\(did)#\(name)"), "type": "Multikey",
            "controller": .string(did.rawValue),
            "publicKeyMultibase": .string(String((key.stringValue ?? "").dropFirst(8))),
          ]
        }),
      "service": .array(
        services.map { name, service in
          let endpoint = service["endpoint"]?.stringValue ?? ""
          return [
            "id": .string("\(prefix)#\(name)"), "type": service["type"] ?? .null,
            "serviceEndpoint": .string(endpoint + (variation.trailingSlash ? "/" : "")),
          ]
        }),
    ]
  }
}
