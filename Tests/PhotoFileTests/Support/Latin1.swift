extension [UInt8] {
  /// One byte for each scalar, so that mixed text and binary reads well in a test.
  init(latin1 text: String) { self = text.unicodeScalars.map { UInt8($0.value) } }
}
