/// Lets generated types hold plain JSON. Only our own coders can: another one would lose digits or order,
/// so it is refused rather than obeyed.
extension JSONValue: Codable {
  /// - Throws: always, unless the decoder is ours, which never comes here.
  package init(from decoder: any Decoder) throws { throw foreignCoder(at: decoder.codingPath) }

  /// - Throws: always, unless the encoder is ours, which never comes here.
  package func encode(to encoder: any Encoder) throws { throw foreignCoder(at: encoder.codingPath) }
}

extension JSONObject: Codable {
  /// - Throws: always, unless the decoder is ours, which never comes here.
  package init(from decoder: any Decoder) throws { throw foreignCoder(at: decoder.codingPath) }

  /// - Throws: always, unless the encoder is ours, which never comes here.
  package func encode(to encoder: any Encoder) throws { throw foreignCoder(at: encoder.codingPath) }
}

extension JSONNumber: Codable {
  /// - Throws: always, unless the decoder is ours, which never comes here.
  package init(from decoder: any Decoder) throws { throw foreignCoder(at: decoder.codingPath) }

  /// - Throws: always, unless the encoder is ours, which never comes here.
  package func encode(to encoder: any Encoder) throws { throw foreignCoder(at: encoder.codingPath) }
}

private func foreignCoder(at path: [any CodingKey]) -> JSONDecodingError {
  JSONDecodingError(path, "JSONValueEncoder or JSONValueDecoder")
}
