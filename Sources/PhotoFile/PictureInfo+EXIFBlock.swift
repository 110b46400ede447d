extension PictureInfo {
  /// A description from a measured frame and what the EXIF block adds; `lensMake` is an
  /// editor's note that outranks the EXIF tag.
  init(
    kind: PictureKind, width: Int, height: Int, exif block: EXIFBlock, lensMake: String? = nil,
    isCMYK: Bool = false, hasColourProfile: Bool = false
  ) {
    var camera = block.camera
    if let lensMake {
      camera = camera ?? PictureEXIF()
      camera?.lensMake = lensMake
    }
    self.init(
      kind: kind, width: width, height: height, orientation: block.orientation, exif: camera,
      position: block.position, hasGPS: block.hasGPS, isCMYK: isCMYK,
      hasColourProfile: hasColourProfile)
  }
}
