import ATSyntax
import JOSE
import OpenSSLCrypto
import StrictJSON

/// One entry of an identity's log at the PLC directory. Source: did:plc specification.
struct PLCOperation: Equatable, Sendable {
  /// The whole operation, `sig` included.
  let json: JSONObject

  /// Reads an operation of one of the two kinds in use.
  init?(json: JSONValue) {
    guard case .object(let object) = json,
      ["plc_operation", "plc_tombstone"].contains(object["type"]?.stringValue),
      object["sig"]?.stringValue != nil
    else { return nil }
    self.json = object
  }

  /// The operation that makes an identity, or changes what it says.
  ///
  /// `previous` is the CID of the operation before, `nil` for the first; `key` a rotation key of
  /// the operation before, or of this one when it is the first.
  init(
    identity: PLCIdentity, previous: CID?, key: P256PrivateKey
  ) throws {
    try self.init(
      unsigned: [
        "type": "plc_operation",
        "rotationKeys": .array(identity.rotationKeys.map { .string(MultiKey.didKey($0)) }),
        "verificationMethods": ["atproto": .string(MultiKey.didKey(identity.signingKey))],
        "alsoKnownAs": [.string("at://\(identity.handle)")],
        "services": [
          "atproto_pds": [
            "type": "AtprotoPersonalDataServer", "endpoint": .string(identity.endpoint),
          ]
        ],
        "prev": previous.map { .string($0.rawValue) } ?? .null,
      ], key: key)
  }

  /// The operation after which the identity no longer exists.
  init(tombstoneAfter previous: CID, key: P256PrivateKey) throws {
    try self.init(
      unsigned: ["type": "plc_tombstone", "prev": .string(previous.rawValue)], key: key)
  }

  private init(unsigned: JSONObject, key: P256PrivateKey) throws {
    var signed = unsigned
    let signature = try key.signature(for: try DAGCBOR.encode(.object(unsigned)))
    signed["sig"] = .string(Base64URL.encode(signature))
    json = signed
  }

  var isTombstone: Bool { json["type"] == "plc_tombstone" }

  var previous: String? { json["prev"]?.stringValue }

  /// Names the operation in the next one's `prev`; `nil` when it has no DAG-CBOR form.
  var cid: CID? {
    // An operation that cannot be encoded cannot be named, and is refused for it.
    (try? DAGCBOR.encode(.object(json))).map { CID(dagCBOR: $0) }
  }

  /// The DID that this operation makes as the first of its log.
  ///
  /// The real directory hashes all of it. Here the signature is left out, because signing is
  /// randomised, and where the account's server stands, because its port is any free one: a seed
  /// could not give the same accounts twice.
  var did: DID? {
    var lasting = json
    lasting["sig"] = nil
    lasting["services"] = nil
    // As for `cid`.
    guard let encoded = try? DAGCBOR.encode(.object(lasting)) else { return nil }
    let digest = Digest.sha256(encoded)
    // 24 characters of base32 always make a DID.
    return try? DID("did:plc:" + Base32.encode(digest).prefix(24))
  }

  /// Whether one of the keys signed it.
  func isSigned(byAnyOf keys: [P256PublicKey]) -> Bool {
    guard let signature = json["sig"]?.stringValue.flatMap({ Base64URL.decode($0) }),
      let unsigned
    else { return false }
    return keys.contains { $0.isValidSignature(signature, for: unsigned) }
  }

  /// What is signed: the operation without its signature.
  private var unsigned: [UInt8]? {
    var unsigned = json
    unsigned["sig"] = nil
    // As for `cid`.
    return try? DAGCBOR.encode(.object(unsigned))
  }

  /// The keys that may sign the next operation.
  var rotationKeys: [P256PublicKey] {
    (json["rotationKeys"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap(MultiKey.read) }
  }
}

/// What an account's server publishes about it.
struct PLCIdentity: Equatable, Sendable {
  var handle: Handle
  /// The account's server.
  var endpoint: String
  /// Signs the repository and service tokens.
  var signingKey: P256PublicKey
  var rotationKeys: [P256PublicKey]
}
