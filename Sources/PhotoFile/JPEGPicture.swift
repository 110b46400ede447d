/// Size, orientation and notes of a JPEG: everything that stands before its first scan.
enum JPEGPicture {
  static func read(_ file: ByteWindow) throws(PictureError) -> PictureInfo {
    var frame: Frame?
    var exif: EXIFBlock?
    var lensMake: String?
    var hasProfile = false
    var hasScan = false
    loop: for part in JPEGSegments(file) {
      switch part {
      case .segment(0xE1, let payload):
        // Of several blocks the first readable one counts; a damaged one stops nothing.
        exif = exif ?? (isEXIF(payload) ? EXIFBlock(payload) : nil)
        lensMake = lensMake ?? XMPNotes.lensMake(payload)
      case .segment(0xE2, let payload):
        hasProfile = hasProfile || isProfile(payload)
      case .segment(let marker, let payload) where JPEGSegments.isFrame(marker):
        frame = frame ?? Frame(payload)
      case .segment(0xDC, let payload):  // DNL: the height comes after the first scan
        if frame?.height == 0 { frame?.height = payload.number(at: 0, width: 2) ?? 0 }
      case .segment: continue
      case .scan(let data):
        hasScan = hasScan || data.count > 0
        if frame?.height != 0 { break loop }
      case .end: break loop
      }
    }
    guard let frame, frame.width > 0, frame.height > 0 else {
      throw .damaged("the JPEG has no frame with a size")
    }
    guard hasScan else { throw .damaged("the JPEG holds no image data") }
    return PictureInfo(
      kind: .jpeg, width: frame.width, height: frame.height, exif: exif ?? EXIFBlock(),
      lensMake: lensMake, isCMYK: frame.components == 4,
      hasColourProfile: hasProfile)
  }

  /// APP2 is shared by ICC profiles, previews and second pictures.
  static func isProfile(_ payload: ByteWindow) -> Bool {
    payload.holds(Array("ICC_PROFILE\0".utf8), at: 0)
  }

  private static func isEXIF(_ payload: ByteWindow) -> Bool {
    payload.holds(Array("Exif\0".utf8), at: 0)
  }

  private struct Frame {
    var width: Int
    var height: Int
    var components: Int

    init?(_ payload: ByteWindow) {
      guard let height = payload.number(at: 1, width: 2),
        let width = payload.number(at: 3, width: 2),
        let components = payload.number(at: 5, width: 1)
      else { return nil }
      self.width = width
      self.height = height
      self.components = components
    }
  }
}
