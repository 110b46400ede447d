// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// A place.
package struct GalleryLocation: Codable, Hashable, Sendable {
  /// The H3 cell at resolution 10.
  package var h3: String
  /// What the place is called.
  package var name: String
  /// Where that is.
  package var address: Address?

  /// The members in schema order; leave out what is absent.
  package init(h3: String, name: String, address: Address? = nil) {
    self.h3 = h3
    self.name = name
    self.address = address
  }
}

extension GalleryLocation {
  /// The place's postal address, as far as it is known.
  package struct Address: Codable, Hashable, Sendable {
    /// Usually the ISO 3166 code in upper case.
    package var country: String
    /// As written in that country.
    package var postalCode: String?
    /// State, province or the like.
    package var region: String?
    /// Town or city.
    package var locality: String?
    /// Number and road.
    package var street: String?
    /// What stands there, such as a station.
    package var name: String?

    /// The members in schema order; leave out what is absent.
    package init(
      country: String, postalCode: String? = nil, region: String? = nil, locality: String? = nil,
      street: String? = nil, name: String? = nil
    ) {
      self.country = country
      self.postalCode = postalCode
      self.region = region
      self.locality = locality
      self.street = street
      self.name = name
    }
  }
}
