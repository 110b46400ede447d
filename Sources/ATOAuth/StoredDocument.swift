import ATSyntax
import Foundation
import JOSE
import OAuth
import OpenSSLCrypto
import StrictJSON

/// The form in which secrets of this room are written for the vault: a JSON object with a version.
struct StoredDocument {
  private(set) var members: JSONObject

  init(kind: String, version: Int = 1) {
    members = ["kind": .string(kind), "v": JSONValue(version)]
  }

  init(_ bytes: Secret, kind: String, version: Int = 1) throws(DamagedRecord) {
    do {
      members = try JSONParser.parse(bytes.reveal()).objectValue ?? [:]
    } catch {
      throw DamagedRecord(member: "document")
    }
    guard members["kind"]?.stringValue == kind else { throw DamagedRecord(member: "kind") }
    guard members["v"]?.intValue == version else { throw DamagedRecord(member: "v") }
  }

  var sealable: Secret { Secret(JSONValue.object(members).serialized()) }

  mutating func set(_ member: String, _ text: String?) {
    members[member] = text.map(JSONValue.string)
  }

  mutating func set(_ member: String, _ secret: Secret?) {
    set(member, secret?.revealText())
  }

  mutating func set(_ member: String, _ key: P256PrivateKey) {
    set(member, key.rawRepresentation.withBytes { Base64URL.encode($0) })
  }

  mutating func set(_ member: String, _ date: Date?) {
    members[member] = date.flatMap { JSONNumber($0.timeIntervalSince1970) }.map(JSONValue.number)
  }

  func optionalText(_ member: String) -> String? { members[member]?.stringValue }

  func text(_ member: String) throws(DamagedRecord) -> String {
    guard let text = optionalText(member) else { throw DamagedRecord(member: member) }
    return text
  }

  func optionalSecret(_ member: String) -> Secret? { optionalText(member).map(Secret.init(text:)) }

  func secret(_ member: String) throws(DamagedRecord) -> Secret { Secret(text: try text(member)) }

  func url(_ member: String) throws(DamagedRecord) -> URL {
    guard let url = URL(string: try text(member)) else { throw DamagedRecord(member: member) }
    return url
  }

  func optionalURL(_ member: String) throws(DamagedRecord) -> URL? {
    members[member] == nil ? nil : try url(member)
  }

  func optionalDate(_ member: String) -> Date? {
    members[member]?.doubleValue.map(Date.init(timeIntervalSince1970:))
  }

  func date(_ member: String) throws(DamagedRecord) -> Date {
    guard let date = optionalDate(member) else { throw DamagedRecord(member: member) }
    return date
  }

  func key(_ member: String) throws(DamagedRecord) -> P256PrivateKey {
    guard let bytes = Base64URL.decode(try text(member)) else {
      throw DamagedRecord(member: member)
    }
    do {
      return try P256PrivateKey(rawRepresentation: Secret(bytes))
    } catch {
      throw DamagedRecord(member: member)
    }
  }

  func did(_ member: String) throws(DamagedRecord) -> DID {
    do {
      return try DID(try text(member))
    } catch {
      throw DamagedRecord(member: member)
    }
  }

  func optionalDID(_ member: String) throws(DamagedRecord) -> DID? {
    members[member] == nil ? nil : try did(member)
  }

  func optionalHandle(_ member: String) throws(DamagedRecord) -> Handle? {
    guard members[member] != nil else { return nil }
    do {
      return try Handle(try text(member))
    } catch {
      throw DamagedRecord(member: member)
    }
  }

  /// An issuer that was checked before it was stored; http is possible only where it was allowed.
  func issuer(_ member: String) throws(DamagedRecord) -> Issuer {
    do {
      return try Issuer(try text(member), allowInsecureLoopback: true)
    } catch {
      throw DamagedRecord(member: member)
    }
  }
}
