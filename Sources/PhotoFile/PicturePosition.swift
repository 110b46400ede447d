/// Where a picture was taken, in WGS 84 degrees. It never goes into a published file; it only
/// helps its owner choose a place (grain-product: the first photo's position).
package struct PicturePosition: Sendable, Equatable {
  /// −90…90, north positive.
  package let latitude: Double
  /// −180…180, east positive.
  package let longitude: Double

  /// Makes a position; `nil` outside the globe and for exactly 0°, 0°, which receivers write
  /// while they have no fix.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude),
      latitude != 0 || longitude != 0
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}
