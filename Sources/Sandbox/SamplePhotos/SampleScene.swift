import Foundation

/// A picture as a function: the colour at each place, 0…1 from the left and from the top.
struct SampleScene: Sendable {
  let colour: @Sendable (_ x: Double, _ y: Double) -> SampleColour

  /// Ridge behind ridge, the sun just above the last.
  static let ridges = SampleScene { x, y in
    let sky = SampleColour(0x2E2A5E).mixed(with: SampleColour(0xFF9A56), y * 1.7)
    let sun = distance(x, y, 0.68, 0.42)
    var colour = sky.mixed(with: SampleColour(0xFFF1C9), glow(sun, 0.30) * 0.7)
      .mixed(with: SampleColour(0xFFFBEA), inside(sun, 0.055))
    for layer in 0..<5 {
      let depth = Double(layer)
      let top =
        0.46 + depth * 0.105
        + 0.040 * sin(x * (5.1 + depth * 1.9) + depth * 2.3)
        + 0.018 * sin(x * (17.3 - depth * 2.1) + depth * 4.1)
        + 0.007 * sin(x * 53 + depth)
      let haze = SampleColour(0xC46A6B).mixed(with: SampleColour(0x1B1433), depth / 4)
      // Each ridge is lighter at its foot, where the mist lies.
      let mist = haze.mixed(with: SampleColour(0xF2A679), (y - top) * (1.6 - depth * 0.3))
      colour = colour.mixed(with: mist, (y - top) * 400)
    }
    return colour
  }

  /// A moon over water, stars, a path of light.
  static let sea = SampleScene { x, y in
    let horizon = 0.58
    let moon = distance(x, y, 0.36, 0.24)
    if y < horizon {
      let sky = SampleColour(0x050A1F).mixed(with: SampleColour(0x24466E), y * y * 2.6)
      return sky.mixed(with: SampleColour(0xF7F3DE), star(x, y))
        .mixed(with: SampleColour(0xAFC7E8), glow(moon, 0.35) * 0.5)
        .mixed(with: SampleColour(0xFDF8E4), inside(moon, 0.06))
    }
    let near = (y - horizon) / (1 - horizon)
    let water = SampleColour(0x1B3A5C).mixed(with: SampleColour(0x020716), near)
    // Waves widen towards the viewer; the path of light widens with them.
    let wave = sin(60 * sqrt(near + 0.02) + 3 * sin(x * 9 + near * 20))
    let path = glow(abs(x - 0.36), 0.05 + near * 0.16)
    return water.mixed(with: SampleColour(0xDCE8F5), path * max(0, wave) * (0.9 - near * 0.4))
      .mixed(with: SampleColour(0x3E6C97), max(0, -wave) * 0.12)
  }

  /// Balloons in the morning, for a picture that is taller than wide.
  static let balloons = SampleScene { x, y in
    var colour = SampleColour(0x8EC5E8).mixed(with: SampleColour(0xFDE7C8), y * 1.25)
    for (index, balloon) in fleet.enumerated() {
      // In heights of the picture, so that circles stay round.
      let across = (x - balloon.x) * 0.75
      let down = y - balloon.y
      let below = max(0, down / balloon.size)
      let narrowing = 1 + below * below * 0.9
      let from = sqrt(across * across * narrowing * narrowing + down * down)
      let stripe = sin(asin(min(max(across * narrowing / balloon.size, -1), 1)) * 5)
      let cloth = balloon.colour.mixed(with: SampleColour(0xFFF6E5), stripe > 0 ? 0.85 : 0)
        .mixed(with: SampleColour(0x30203A), (across / balloon.size + 0.4) * 0.35)
      let isBasket =
        abs(across) < balloon.size * 0.16
        && abs(down - balloon.size * 1.45) < balloon.size * 0.12
      colour = colour.mixed(with: SampleColour(0x6B4428), isBasket ? 1 : 0)
        .mixed(with: cloth, inside(from, balloon.size))
        .mixed(with: colour, Double(index) * 0.04)  // the farther, the paler
    }
    let hill = 0.86 + 0.03 * sin(x * 6 + 1) + 0.015 * sin(x * 15)
    return colour.mixed(
      with: SampleColour(0xC98B5E).mixed(with: SampleColour(0x7A4B36), (y - hill) * 6),
      (y - hill) * 300)
  }

  private static let fleet: [(x: Double, y: Double, size: Double, colour: SampleColour)] = [
    (0.36, 0.34, 0.190, SampleColour(0xD8413A)), (0.78, 0.22, 0.085, SampleColour(0x2F6FB2)),
    (0.80, 0.60, 0.070, SampleColour(0xE0A526)), (0.16, 0.70, 0.050, SampleColour(0x3C8C5A)),
  ]

  private static func distance(_ x: Double, _ y: Double, _ toX: Double, _ toY: Double) -> Double {
    let (across, down) = ((x - toX) * 4 / 3, y - toY)
    return sqrt(across * across + down * down)
  }

  /// 1 within the radius, 0 outside, with an edge about a pixel wide.
  private static func inside(_ distance: Double, _ radius: Double) -> Double {
    min(max((radius - distance) * 500 + 0.5, 0), 1)
  }

  /// 1 at the centre, fading to 0 at the reach.
  private static func glow(_ distance: Double, _ reach: Double) -> Double {
    let rest = max(0, 1 - distance / reach)
    return rest * rest
  }

  /// A few bright points, scattered over a grid so that none repeats.
  private static func star(_ x: Double, _ y: Double) -> Double {
    let (column, row) = (Int(x * 80), Int(y * 60))
    var seed = UInt32(truncatingIfNeeded: column &* 374_761_393 &+ row &* 668_265_263)
    seed = (seed ^ seed >> 13) &* 1_274_126_177
    let dice = Int((seed ^ seed >> 16) % 997)
    guard dice < 60 else { return 0 }
    let place = (Double(dice % 7) / 9 + 0.2, Double(dice % 11) / 13 + 0.1)
    let (across, down) = (x * 80 - Double(column) - place.0, y * 60 - Double(row) - place.1)
    return glow(sqrt(across * across + down * down), 0.08 + Double(dice) / 400)
  }
}
