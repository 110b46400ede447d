/// Three photographs nobody took: painted, encoded and marked at run time, so that a demo needs
/// no files and yet shows what happens to real ones.
///
/// All carry camera notes and a position, which publishing must remove; one lies on its side and
/// says so.
package enum SamplePhotos {
  /// File names and whole JPEG files, about 800 × 600 pixels each. Made once, on first use.
  package static let all: [(fileName: String, bytes: [UInt8])] = [
    photo(
      "evening-ridges.jpg", SampleScene.ridges,
      SampleEXIF(
        model: "L-35", lens: "Lumen 35mm F2", exposure: (1, 250), fNumber: (8, 1), iso: 200,
        focalLength: 35, taken: "2025:09:14 19:42:10", zone: "+02:00",
        latitude: .init(46, 33, 18, "N"), longitude: .init(8, 33, 41, "E"))),
    photo(
      "moonlit-sea.jpg", SampleScene.sea,
      SampleEXIF(
        model: "L-50", lens: "Lumen 50mm F1.4", exposure: (4, 1), fNumber: (14, 10), iso: 1600,
        focalLength: 50, taken: "2025:11:05 22:15:47", zone: "+00:00",
        latitude: .init(38, 42, 5, "N"), longitude: .init(9, 28, 30, "W"))),
    photo(
      "balloons.jpg", SampleScene.balloons,
      SampleEXIF(
        orientation: 6, model: "Pocket 3", lens: "Pocket 28mm F2.8", exposure: (1, 1000),
        fNumber: (28, 10), iso: 100, focalLength: 28, taken: "2025:06:21 06:31:02",
        zone: "+03:00", latitude: .init(38, 38, 35, "N"), longitude: .init(34, 49, 44, "E"))),
  ]

  private static let size = (width: 800, height: 600)

  private static func photo(
    _ name: String, _ scene: SampleScene, _ exif: SampleEXIF
  ) -> (fileName: String, bytes: [UInt8]) {
    let (width, height) = size
    // Held upright, such a camera stores the picture lying on its left side.
    let isTurned = exif.orientation == 6
    let bytes = BaselineJPEG.encode(
      width: width, height: height, segments: [(0xE1, exif.segment)]
    ) { x, y in
      isTurned
        ? scene.colour(Double(height - 1 - y) / Double(height), Double(x) / Double(width))
        : scene.colour(Double(x) / Double(width), Double(y) / Double(height))
    }
    return (name, bytes)
  }
}
