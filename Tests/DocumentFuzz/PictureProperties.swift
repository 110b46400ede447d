import PhotoFile

/// What must hold of picture files: no input traps, and a stripped picture says less of the same picture.
enum PictureProperties {
  static func check(_ bytes: [UInt8]) {
    do throws(PictureError) {
      let before = try PictureReader.read(bytes)
      precondition(before.width > 0 && before.height > 0 && (1...8).contains(before.orientation))
      checkCopy(try PictureStripper.strip(bytes), of: before)
    } catch {
      // A refusal is an answer.
    }
  }

  /// A copy is no stranger's any more: that it is refused is a fault.
  private static func checkCopy(_ copy: [UInt8], of before: PictureInfo) {
    do throws(PictureError) {
      let after = try PictureReader.read(copy)
      precondition(after.kind == before.kind, "another kind")
      precondition(after.width == before.width && after.height == before.height, "another size")
      precondition(after.orientation == before.orientation, "turned")
      precondition(after.position == nil && !after.hasGPS, "a position is left")
      precondition(after.exif == nil || after.exif?.isEmpty == true, "camera notes are left")
      let again = try PictureStripper.strip(copy)
      precondition(again == copy, "stripping again changes it")
    } catch {
      preconditionFailure("the copy is no picture: \(error)")
    }
  }
}
