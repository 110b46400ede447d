import ATSyntax
import Foundation
import GrainLexicon
import StrictJSON

/// Views of accounts (grain-product §10).
extension AppView {
  /// `profileView`: `cid` is empty for an account without a Grain profile.
  func profile(of did: DID) async throws -> JSONObject {
    let uri = ATURI(did, CollectionNames.actorProfile, .literalSelf)
    let record = try await index.record(uri)
    let handle = try await index.handle(of: did) ?? .invalid
    var view: JSONObject = [
      "cid": .string(record?.cid ?? ""), "did": .string(did.rawValue),
      "handle": .string(handle.rawValue),
    ]
    for member in ["displayName", "description", "createdAt"] {
      view[member] = record?.value[member]
    }
    if let avatar = record?.value["avatar"].flatMap(BlobReference.init(json:)) {
      view["avatar"] = .string(imageURL("avatar", did, avatar.cid))
    }
    return view
  }

  /// `profileViewDetailed`; `nil` for an account nobody has heard of.
  func detailedProfile(of did: DID, viewer: DID?) async throws -> JSONValue? {
    var view = try await profile(of: did)
    let galleries = try await index.records(in: CollectionNames.gallery, by: did)
    let isKnown = try await index.actors().contains(did)
    guard isKnown || view["cid"] != "" else { return nil }
    let followers = try await index.records(
      in: CollectionNames.follow, where: ("subject", did.rawValue))
    let follows = try await index.records(in: CollectionNames.follow, by: did)
    view["followersCount"] = .number(JSONNumber(followers.count))
    view["followsCount"] = .number(JSONNumber(follows.count))
    view["galleryCount"] = .number(JSONNumber(galleries.count))
    if let viewer, viewer != did { view["viewer"] = try await relation(of: viewer, to: did) }
    return .object(view)
  }

  private func relation(of viewer: DID, to did: DID) async throws -> JSONValue {
    var relation: JSONObject = [:]
    let pairs = [
      ("following", CollectionNames.follow, viewer, did),
      ("followedBy", CollectionNames.follow, did, viewer),
      ("blocking", CollectionNames.block, viewer, did),
      ("blockedBy", CollectionNames.block, did, viewer),
    ]
    for (name, collection, author, subject) in pairs {
      let records = try await index.records(
        in: collection, by: author, where: ("subject", subject.rawValue))
      guard let record = records.first else { continue }
      relation[name] = name == "blockedBy" ? true : .string(record.uri.rawValue)
    }
    return .object(relation)
  }

  func imageURL(_ size: String, _ did: DID, _ cid: CID) -> String {
    "\(url.absoluteString)/img/\(size)/\(did)/\(cid)"
  }
}
