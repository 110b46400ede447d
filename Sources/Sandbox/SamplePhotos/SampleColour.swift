/// Red, green and blue, each 0…1.
struct SampleColour {
  var red: Double
  var green: Double
  var blue: Double

  /// From a number as in style sheets: `0xFF8800`.
  init(_ hex: Int) {
    self.init(
      red: Double(hex >> 16 & 255) / 255, green: Double(hex >> 8 & 255) / 255,
      blue: Double(hex & 255) / 255)
  }

  init(red: Double, green: Double, blue: Double) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// This colour with `share` (0…1) of another over it.
  func mixed(with other: SampleColour, _ share: Double) -> SampleColour {
    let share = min(max(share, 0), 1)
    return SampleColour(
      red: red + (other.red - red) * share, green: green + (other.green - green) * share,
      blue: blue + (other.blue - blue) * share)
  }
}
