import GrainLexicon
import GrainServices
package import GrainSnapshots

/// What `gallery.setDetails` changes; `nil` leaves a member as it is.
package struct GalleryDetails: Equatable, Sendable {
  /// As typed; trimmed when it is published.
  package var title: String?
  package var description: String?
  /// Self-labels of the list that is offered.
  package var labels: [String]?
  /// A place the person chose.
  package var location: GalleryLocation?
  /// Whether camera data become records of their own.
  package var includeExif: Bool?
  /// Whether a Bluesky post is wanted.
  package var crossPost: Bool?
  /// Members to remove: only `location` can be.
  package var clear: Set<String>

  /// A change of the members given.
  package init(
    title: String? = nil, description: String? = nil, labels: [String]? = nil,
    location: GalleryLocation? = nil, includeExif: Bool? = nil, crossPost: Bool? = nil,
    clear: Set<String> = []
  ) {
    self.title = title
    self.description = description
    self.labels = labels
    self.location = location
    self.includeExif = includeExif
    self.crossPost = crossPost
    self.clear = clear
  }

  /// - Throws: the member at fault. A text over its limit may be typed; publishing refuses it.
  func check() throws(IntentRejection) {
    if let labels, !Set(SelfLabels.offered).isSuperset(of: labels) { throw .invalid("/labels") }
    if !clear.isSubset(of: ["location"]) { throw .invalid("/clear") }
    if location != nil, clear.contains("location") { throw .invalid("/clear") }
    _ = try location.map(Self.checked)
  }

  private static func checked(_ place: GalleryLocation) throws(IntentRejection) -> ChosenPlace {
    do throws(ChosenPlace.Flaw) {
      return try ChosenPlace(
        cell: place.h3, name: place.name, address: place.address.map(PostalAddress.init))
    } catch {
      switch error {
      case .cell: throw .invalid("/location/h3")
      case .name, .coordinates("name"): throw .invalid("/location/name")
      case .country: throw .invalid("/location/address/country")
      case .coordinates(let member): throw .invalid("/location/address/\(member)")
      }
    }
  }

  func apply(to draft: inout Draft) {
    if let title { draft.title = title }
    if let description { draft.description = description }
    if let labels { draft.labels = labels }
    // As said: a place that is none was refused.
    if let place = try? location.map(Self.checked) {
      draft.location = place.location
      draft.address = place.address
    }
    if clear.contains("location") {
      draft.location = nil
      draft.address = nil
    }
    if let includeExif { draft.includeExif = includeExif }
    if let crossPost { draft.crossPost = crossPost }
  }
}

extension PostalAddress {
  /// The address a shell sent, as records hold it.
  fileprivate init(_ address: GalleryLocation.Address) {
    self.init(
      country: address.country, postalCode: address.postalCode, region: address.region,
      locality: address.locality, street: address.street, name: address.name)
  }
}

extension GalleryLocation {
  /// A draft's place, as shells show it.
  init?(_ draft: Draft) {
    guard let cell = draft.location else { return nil }
    self.init(
      h3: cell.value, name: cell.name ?? "",
      address: draft.address.map { address in
        Address(
          country: address.country, postalCode: address.postalCode, region: address.region,
          locality: address.locality, street: address.street, name: address.name)
      })
  }
}
