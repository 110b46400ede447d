// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// Where the picture is, and how large it is shown.
package struct Media: Codable, Hashable, Sendable {
  /// https or file URL; a file's path is absolute, and recordings leave it out.
  package var uri: String
  /// Pixels across, orientation applied; absent while unknown.
  package var width: Int?
  /// Pixels down, orientation applied; absent while unknown.
  package var height: Int?
  /// The picture in words, for people who cannot see it.
  package var alt: String?

  /// The members in schema order; leave out what is absent.
  package init(uri: String, width: Int? = nil, height: Int? = nil, alt: String? = nil) {
    self.uri = uri
    self.width = width
    self.height = height
    self.alt = alt
  }
}
