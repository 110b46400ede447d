/// The place a gallery names (grain-product §§9, 14).
package struct GalleryLocation: Codable, Equatable, Sendable {
  /// The H3 cell at resolution 10, fifteen hexadecimal digits.
  package var h3: String
  /// What the place is called.
  package var name: String
  /// Its postal address, where it is known.
  package var address: Address?

  /// A place.
  package init(h3: String, name: String, address: Address? = nil) {
    self.h3 = h3
    self.name = name
    self.address = address
  }

  /// The place's postal address, as far as it is known.
  package struct Address: Codable, Equatable, Sendable {
    /// Two to ten characters, usually the ISO 3166 code in upper case.
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

    /// An address; leave out what is not known.
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
