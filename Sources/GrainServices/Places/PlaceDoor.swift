/// Where places come from, once this core looks for them itself; until then the shell gives them.
///
/// Coordinates go in and stay behind this door: what comes out is a ``ChosenPlace``, a cell and words.
package struct PlaceDoor: Sendable {
  /// A point on the ground, in degrees; it is never stored and goes nowhere but through this door.
  package struct Point: Sendable {
    /// North of the equator.
    package let latitude: Double
    /// East of Greenwich.
    package let longitude: Double

    /// A point; `nil` outside the globe.
    package init?(latitude: Double, longitude: Double) {
      guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// The places that answer to a text of two characters or more, best first.
  package var search: @Sendable (_ text: String) async -> [ChosenPlace]
  /// The place around a point.
  package var place: @Sendable (_ point: Point) async -> ChosenPlace?

  /// A door made of its calls.
  package init(
    search: @escaping @Sendable (String) async -> [ChosenPlace],
    place: @escaping @Sendable (Point) async -> ChosenPlace?
  ) {
    self.search = search
    self.place = place
  }

  /// Knows no place.
  package static let unavailable = PlaceDoor(search: { _ in [] }, place: { _ in nil })
}
