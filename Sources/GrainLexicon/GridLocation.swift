package import StrictJSON

/// `community.lexicon.location.hthree`: a cell of the H3 grid (resolution 10 here) and its name.
package struct GridLocation: Codable, Hashable, Sendable {
  /// The cell, 15 hexadecimal digits.
  package var value: String
  /// What people call it.
  package var name: String?

  /// A cell by its index.
  package init(value: String, name: String? = nil) {
    self.value = value
    self.name = name
  }

  /// As records carry it; absent parts are left out.
  package var json: JSONValue {
    .object(.present([("value", .string(value)), ("name", .text(name))]))
  }
}

/// `community.lexicon.location.address`: a place in words.
package struct PostalAddress: Codable, Hashable, Sendable {
  /// 2–10 characters; upper-case ISO 3166 code where we write it.
  package var country: String
  /// As the country writes it.
  package var postalCode: String?
  /// State or province.
  package var region: String?
  /// City, town or village.
  package var locality: String?
  /// Street with number.
  package var street: String?
  /// What people call it.
  package var name: String?

  /// A place by what is known of it.
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

  /// As records carry it; absent parts are left out.
  package var json: JSONValue {
    .object(
      .present([
        ("country", .string(country)), ("postalCode", .text(postalCode)),
        ("region", .text(region)), ("locality", .text(locality)), ("street", .text(street)),
        ("name", .text(name)),
      ]))
  }

  var violations: [LexiconViolation] {
    (2...10).contains(country.utf8.count)
      ? [] : [LexiconViolation("address", .outOfRange(country.utf8.count))]
  }
}
