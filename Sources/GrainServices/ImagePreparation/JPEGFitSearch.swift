/// The search for the best JPEG within a byte limit, as a pure machine: the size of the last
/// attempt goes in, the next step comes out, somebody else encodes (grain-product §12).
///
/// First the quality is bisected at full size, in at most ten attempts. If even the lowest does
/// not fit, both sides shrink by √(limit ÷ size) at quality 80 until one does.
struct JPEGFitSearch {
  /// One encoding to be made.
  struct Attempt: Equatable {
    /// 1…100.
    var quality: Int
    /// The size to shrink to; `nil` for the picture as it is.
    var size: PixelSize?
  }

  /// Pixels across and down.
  struct PixelSize: Equatable {
    var width: Int
    var height: Int
  }

  /// What to do next.
  enum Step: Equatable {
    case encode(Attempt)
    /// This attempt is the result; it was the last one, or the last one that fitted.
    case use(Attempt)
    /// Nothing fits; the limit is absurd.
    case giveUp
  }

  private let limit: Int
  private var size: PixelSize
  private var untried = 1...100
  private var current: Attempt
  private var best: Attempt?
  private var attempts = 0

  /// A search for a picture of about that size. Most photographs of four megapixels fit near the
  /// first quality tried, which shortens the rest.
  init(limit: Int, size: PixelSize) {
    self.limit = limit
    self.size = size
    current = Attempt(quality: 88)
  }

  /// The first attempt.
  var first: Attempt { current }

  /// Takes the size of the last attempt in bytes and says what follows.
  mutating func encoded(bytes: Int) -> Step {
    attempts += 1
    let fits = bytes <= limit
    if current.size == nil { return bisect(bytes, fits) }
    return fits ? .use(current) : shrink(bytes)
  }

  private mutating func bisect(_ bytes: Int, _ fits: Bool) -> Step {
    if fits { best = current }
    let low = fits ? current.quality + 1 : untried.lowerBound
    let high = fits ? untried.upperBound : current.quality - 1
    guard low <= high, attempts < 10 else {
      if let best { return .use(best) }
      attempts = 0
      return shrink(bytes)
    }
    untried = low...high
    current.quality = (low + high + 1) / 2
    return .encode(current)
  }

  private mutating func shrink(_ bytes: Int) -> Step {
    guard attempts < 20, size.width > 1 || size.height > 1 else { return .giveUp }
    // A step of at least a fiftieth, so that a size just above the limit comes to an end too.
    let scale = min((Double(limit) / Double(max(bytes, 1))).squareRoot(), 0.98)
    size.width = max(1, Int(Double(size.width) * scale))
    size.height = max(1, Int(Double(size.height) * scale))
    current = Attempt(quality: 80, size: size)
    return .encode(current)
  }
}
