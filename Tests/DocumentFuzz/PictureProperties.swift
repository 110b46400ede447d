import PhotoFile

/// What must hold of picture files: no input traps, and a stripped picture says less of the same picture.
enum PictureProperties {
  static func check(_ bytes: [UInt8]) {
    do throws(PictureError) {
      let before = try PictureReader.read(bytes)
      precondition(before.width > 0 && before.height > 0 && (1...8).contains(before.orientation))
      let stripped = try PictureStripper.strip(bytes)
      let after = try PictureReader.read(stripped)
      precondition(after.width == before.width && after.height == before.height, "another size")
      precondition(after.orientation == before.orientation, "turned")
      precondition(after.position == nil && !after.hasGPS, "a position is left")
      let again = try PictureStripper.strip(stripped)
      precondition(again == stripped, "stripping again changes it")
    } catch {
      // A refusal is an answer.
    }
  }
}
