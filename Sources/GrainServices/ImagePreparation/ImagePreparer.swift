import Foundation
import PhotoFile
import SystemClients

/// Makes of any picture file a copy that may be published: within the limits, upright when shown,
/// and without metadata (grain-product §12, FB-D6 to FB-D9).
package struct ImagePreparer: Sendable {
  private let limits: ImageLimits
  private let resizers: [ImageResizer]

  /// A preparer that asks these resizers in order, where one is needed at all.
  package init(limits: ImageLimits = ImageLimits(), resizers: [ImageResizer]) {
    self.limits = limits
    self.resizers = resizers
  }

  /// Prepares one file.
  ///
  /// A JPEG, PNG or WebP that fits is copied without its metadata, pixel for pixel; everything
  /// else becomes a JPEG. Runs off the caller's actor; cancelling the task ends the program that
  /// is running. While it runs, a folder named like the output plus `.work` holds scratch files.
  ///
  /// - Parameters:
  ///   - source: the original, which is only read.
  ///   - output: where the copy goes (0600); replaced as a whole, and only on success.
  /// - Returns: what the copy is, and what only the original knew.
  /// - Throws: `ImagePreparationError`.
  @concurrent
  package func prepare(
    source: String, output: String
  ) async throws(ImagePreparationError) -> PreparedImage {
    let original = try look(at: source)
    if let copy = original.copy { return try publish(copy, to: output, from: original) }
    let folder = "\(output).work"
    do throws(ImagePreparationError) {
      let copy = try await resized(original, folder: folder)
      let image = try publish(copy, to: output, from: original)
      clear(folder)
      return image
    } catch {
      clear(folder)
      throw error
    }
  }

  /// What is remembered of a source; its bytes are not, while a program works on it.
  private struct Original {
    let path: String
    let info: PictureInfo
    /// Size in bytes, without metadata where that was found out.
    var bytes: Int
    /// The finished copy, if removing metadata was all it took.
    var copy: [UInt8]?
  }

  private func look(at path: String) throws(ImagePreparationError) -> Original {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try PrivateFiles.read(path, limit: limits.sourceBytes)
    } catch {
      if case .other(_, errno: EFBIG) = error { throw .sourceTooLarge(limit: limits.sourceBytes) }
      throw .unreadable(path)
    }
    do throws(PictureError) {
      let info = try PictureReader.read(bytes)
      var original = Original(
        path: URL(filePath: path).absoluteURL.path, info: info, bytes: bytes.count)
      if info.kind.isStrippable, limits.admitPixels(of: info) {
        let copy = try PictureStripper.strip(bytes)
        original.bytes = copy.count
        original.copy = copy.count <= limits.bytes ? copy : nil
      }
      return original
    } catch {
      throw ImagePreparationError(error)
    }
  }

  /// What the first resizer that can do it makes, without metadata.
  private func resized(
    _ original: Original, folder: String
  ) async throws(ImagePreparationError) -> [UInt8] {
    let info = original.info
    var failure: ImagePreparationError =
      info.kind.isStrippable
      ? .tooLargeWithoutTool(
        bytes: original.bytes, width: info.uprightWidth, height: info.uprightHeight)
      : .conversionWithoutTool(info.kind)
    let request = ImageResizer.Request(
      source: original.path, info: info, limits: limits, folder: folder,
      output: "\(folder)/prepared.jpg")
    for resizer in resizers {
      try makeEmpty(folder)
      do throws(ImageResizer.Failure) {
        try await resizer.resize(request)
      } catch {
        switch error {
        case .missing: continue
        case .cancelled: throw .cancelled
        case .storageFull: throw .storageFull
        case .failed(let detail): failure = .toolFailed(tool: resizer.name, detail: detail)
        }
        continue
      }
      if let copy = strippedResult(of: request) { return copy }
      failure = .toolFailed(tool: resizer.name, detail: "its picture does not fit or is broken")
    }
    throw failure
  }

  /// The resizer's picture without metadata; `nil` when it is none or breaks a limit after all.
  private func strippedResult(of request: ImageResizer.Request) -> [UInt8]? {
    // Whatever is wrong with it, the caller's words for it are the same.
    guard let bytes = try? PrivateFiles.read(request.output, limit: limits.sourceBytes),
      let copy = try? PictureStripper.strip(bytes), copy.count <= limits.bytes,
      let info = try? PictureReader.read(copy), limits.admitPixels(of: info)
    else { return nil }
    return copy
  }

  private func publish(
    _ copy: [UInt8], to output: String, from original: Original
  ) throws(ImagePreparationError) -> PreparedImage {
    let info: PictureInfo
    do throws(PictureError) {
      info = try PictureReader.read(copy)
    } catch {
      throw ImagePreparationError(error)
    }
    do throws(FileError) {
      try PrivateFiles.write(copy, to: output)
    } catch {
      throw ImagePreparationError(writing: error)
    }
    return PreparedImage(
      mediaType: info.kind.mediaType, width: info.uprightWidth, height: info.uprightHeight,
      bytes: copy.count, exif: original.info.exif, position: original.info.position)
  }

  private func makeEmpty(_ folder: String) throws(ImagePreparationError) {
    do throws(FileError) {
      try PrivateFiles.remove(folder)
      try PrivateFiles.makeFolder(folder)
    } catch {
      throw ImagePreparationError(writing: error)
    }
  }

  /// A scratch folder that cannot be removed goes with the draft's.
  private func clear(_ folder: String) { try? PrivateFiles.remove(folder) }
}
