/// The eight EXIF orientations as what they are: turns and flips that can be put after each other.
enum Orientation {
  /// Shown a quarter turn further against the clock.
  static func turnedLeft(_ orientation: Int) -> Int { map([8, 5, 6, 7, 4, 1, 2, 3], orientation) }

  /// Shown with left and right exchanged.
  static func mirrored(_ orientation: Int) -> Int { map([2, 1, 4, 3, 6, 5, 8, 7], orientation) }

  /// Shown with top and bottom exchanged.
  static func flipped(_ orientation: Int) -> Int {
    turnedLeft(turnedLeft(mirrored(orientation)))
  }

  private static func map(_ table: [Int], _ orientation: Int) -> Int {
    (1...8).contains(orientation) ? table[orientation - 1] : 1
  }
}
