package import GrainLexicon

/// One photograph of a draft.
///
/// The copies of one value share what they hold until one of them changes: a draft of a thousand photographs is
/// copied, and compared with what it was before, without looking at each.
package struct DraftPhoto: Sendable {
  private struct Facts: Codable, Equatable, Sendable {
    let id: String
    let source: String
    var alt = ""
    var prepared: Prepared?
    var failure: PhotoFailure?
    var blob: BlobReference?
  }

  private final class Held: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private var held: Held
  private var facts: Facts {
    get { held.facts }
    set { held = Held(newValue) }
  }

  /// A photograph that was only chosen so far.
  package init(id: String, source: String) {
    held = Held(Facts(id: id, source: source))
  }

  /// Names the photograph inside its draft; 8 letters and digits.
  package var id: String { facts.id }
  /// The file the person chose, an absolute path; read once, when the picture is prepared.
  package var source: String { facts.source }
  /// The text read to those who cannot see the picture.
  package var alt: String {
    get { facts.alt }
    set { facts.alt = newValue }
  }
  /// The stripped copy in the draft's folder, once it is made.
  package var prepared: Prepared? {
    get { facts.prepared }
    set { facts.prepared = newValue }
  }
  /// Why the picture could not be prepared.
  package var failure: PhotoFailure? {
    get { facts.failure }
    set { facts.failure = newValue }
  }
  /// What the server answered to the upload; the picture's bytes are there.
  package var blob: BlobReference? {
    get { facts.blob }
    set { facts.blob = newValue }
  }

  /// A picture that may leave this machine: measured, small enough, without metadata.
  package struct Prepared: Codable, Equatable, Sendable {
    /// File name inside the draft's folder.
    package let file: String
    /// What the bytes are, whatever the file was called.
    package let mediaType: String
    /// Pixels of the upright picture.
    package let width: Int
    /// Pixels down of the upright picture.
    package let height: Int
    /// Size of the file.
    package let bytes: Int
    /// Camera data read from the original; never a position.
    package let exif: PhotoEXIF?

    /// A picture that was prepared.
    package init(
      file: String, mediaType: String, width: Int, height: Int, bytes: Int, exif: PhotoEXIF?
    ) {
      self.file = file
      self.mediaType = mediaType
      self.width = width
      self.height = height
      self.bytes = bytes
      self.exif = exif
    }
  }
}

extension DraftPhoto: Equatable {
  /// The same facts; copies that share them are not looked into.
  package static func == (left: DraftPhoto, right: DraftPhoto) -> Bool {
    left.held === right.held || left.facts == right.facts
  }
}

extension DraftPhoto: Codable {
  /// Reads the facts.
  package init(from decoder: any Decoder) throws {
    held = Held(try Facts(from: decoder))
  }

  /// Writes the facts.
  package func encode(to encoder: any Encoder) throws { try facts.encode(to: encoder) }
}
