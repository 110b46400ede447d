import ATSyntax
import Foundation
import GrainLexicon
import StrictJSON

/// Views of galleries, their photos and what cameras wrote (grain-product §10).
extension AppView {
  func galleryView(of gallery: IndexedRecord, viewer: DID?) async throws -> JSONValue {
    var view: JSONObject = [
      "uri": .string(gallery.uri.rawValue), "cid": .string(gallery.cid),
      "creator": .object(try await profile(of: gallery.did)), "record": .object(gallery.value),
      "indexedAt": .string(gallery.indexedAt),
    ]
    for member in ["title", "description", "facets", "location", "address", "createdAt"] {
      view[member] = gallery.value[member]
    }
    view["locationDisplay"] =
      gallery.value["location"]?["name"] ?? gallery.value["address"]?["locality"]
    view["labels"] = labels(of: gallery)
    let cameras = try await cameras(of: gallery)
    if !cameras.isEmpty { view["cameras"] = .array(cameras.map(JSONValue.string)) }
    view["items"] = .array(try await items(of: gallery))

    let subject = ("subject", gallery.uri.rawValue)
    let favorites = try await index.records(in: CollectionNames.favorite, where: subject)
    let comments = try await index.records(in: CollectionNames.comment, where: subject)
    view["favCount"] = .number(JSONNumber(favorites.count))
    view["commentCount"] = .number(JSONNumber(comments.count))
    if let viewer {
      var relation: JSONObject = [:]
      relation["fav"] = favorites.first { $0.did == viewer }.map { .string($0.uri.rawValue) }
      view["viewer"] = .object(relation)
    }
    return .object(view)
  }

  /// `make model` of each camera, once.
  func cameras(of gallery: IndexedRecord) async throws -> [String] {
    var found: [String] = []
    for item in try await itemRecords(of: gallery) {
      guard let exif = try await exif(of: item.value["item"]?.stringValue ?? "") else { continue }
      let names = ["make", "model"].compactMap { exif.value[$0]?.stringValue }
      let camera = names.joined(separator: " ")
      if !camera.isEmpty, !found.contains(camera) { found.append(camera) }
    }
    return found
  }

  private func itemRecords(of gallery: IndexedRecord) async throws -> [IndexedRecord] {
    try await index.records(
      in: CollectionNames.galleryItem, by: gallery.did,
      where: ("gallery", gallery.uri.rawValue)
    ).sorted { ($0.value["position"]?.intValue ?? 0) < ($1.value["position"]?.intValue ?? 0) }
  }

  private func exif(of photo: String) async throws -> IndexedRecord? {
    try await index.records(in: CollectionNames.photoEXIF, where: ("photo", photo)).first
  }

  /// An item whose photo is not indexed, or not a photo, is left out.
  private func items(of gallery: IndexedRecord) async throws -> [JSONValue] {
    var views: [JSONValue] = []
    for item in try await itemRecords(of: gallery) {
      // As said: a broken reference is no item.
      guard let uri = try? ATURI(item.value["item"]?.stringValue ?? ""),
        let photo = try await index.record(uri),
        let blob = photo.value["photo"].flatMap(BlobReference.init(json:))
      else { continue }
      var view: JSONObject = [
        "uri": .string(uri.rawValue), "cid": .string(photo.cid),
        "thumb": .string(imageURL("thumb", photo.did, blob.cid)),
        "fullsize": .string(imageURL("full", photo.did, blob.cid)),
      ]
      view["alt"] = photo.value["alt"]
      view["aspectRatio"] = photo.value["aspectRatio"]
      view["exif"] = try await exif(of: uri.rawValue).map(exifView)
      view["gallery"] = [
        "item": .string(item.uri.rawValue), "itemCreatedAt": .string(item.createdAt),
        "itemPosition": item.value["position"] ?? 0,
      ]
      views.append(.object(view))
    }
    return views
  }

  private func exifView(_ record: IndexedRecord) -> JSONValue {
    var view: JSONObject = [
      "uri": .string(record.uri.rawValue), "cid": .string(record.cid),
      "photo": record.value["photo"] ?? "", "createdAt": .string(record.createdAt),
    ]
    for text in ["dateTimeOriginal", "flash", "lensMake", "lensModel", "make", "model"] {
      view[text] = record.value[text]
    }
    func value(_ name: String) -> Double? {
      record.value[name]?.doubleValue.map { $0 / 1_000_000 }
    }
    view["exposureTime"] = value("exposureTime").flatMap { seconds in
      guard seconds > 0 else { return nil }
      return .string(seconds < 1 ? "1/\(Int((1 / seconds).rounded()))s" : "\(Self.short(seconds))s")
    }
    view["fNumber"] = value("fNumber").map { .string("f/\(Self.short($0))") }
    view["focalLengthIn35mmFormat"] = value("focalLengthIn35mmFormat").map {
      .string("\(Int($0.rounded()))mm")
    }
    view["iSO"] = value("iSO").map { .number(JSONNumber(Int($0.rounded()))) }
    return .object(view)
  }

  private func labels(of gallery: IndexedRecord) -> JSONValue? {
    let values = gallery.value["labels"]?["values"]?.arrayValue ?? []
    guard !values.isEmpty else { return nil }
    return .array(
      values.map { value in
        [
          "src": .string(gallery.did.rawValue), "uri": .string(gallery.uri.rawValue),
          "val": value["val"] ?? "", "cts": .string(gallery.createdAt),
        ]
      })
  }

  /// Up to two decimals, no trailing zeros.
  private static func short(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
