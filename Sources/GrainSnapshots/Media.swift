/// A picture the shell loads itself; its bytes never cross the bridge (bridge-protocol §9).
package struct Media: Codable, Equatable, Sendable {
  /// An `https:` or `file:` URL; a path in it is absolute.
  package var uri: String
  /// Pixels across as shown, orientation applied; absent while unknown.
  package var width: Int?
  /// Pixels down as shown, orientation applied; absent while unknown.
  package var height: Int?
  /// The picture in words, for people who cannot see it.
  package var alt: String?

  /// A picture; leave out what is not known.
  package init(uri: String, width: Int? = nil, height: Int? = nil, alt: String? = nil) {
    self.uri = uri
    self.width = width
    self.height = height
    self.alt = alt
  }
}
