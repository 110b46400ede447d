/// A failure as state shows it: a kind for programs, words for the person (bridge-protocol §7).
///
/// Holds no URL with a query and no secret.
package struct Problem: Hashable, Sendable {
  /// What went wrong; names the code as well.
  package var kind: ErrorKind
  /// Whether the same call may succeed later without changes.
  package var retryable: Bool
  /// What to tell the person.
  package var message: Message
  /// The parameter at fault, as a JSON Pointer into `params`.
  package var field: String?
  /// How long the server asked to wait, in milliseconds.
  package var retryAfterMs: Int?
  /// Facts for programs, by kind.
  package var details: [String: PlainValue]?
  /// The kind of failure behind this one.
  package var cause: ErrorKind?

  /// The registered number of ``kind``.
  package var code: Int { kind.code }

  /// A problem, member by member.
  package init(
    kind: ErrorKind, retryable: Bool, message: Message, field: String? = nil,
    retryAfterMs: Int? = nil, details: [String: PlainValue]? = nil, cause: ErrorKind? = nil
  ) {
    self.kind = kind
    self.retryable = retryable
    self.message = message
    self.field = field
    self.retryAfterMs = retryAfterMs
    self.details = details
    self.cause = cause
  }

  /// A problem in the words of the registry.
  ///
  /// - Parameters:
  ///   - kind: what went wrong; decides `retryable`, the message key and the words.
  ///   - params: what the registered sentence mentions; see ``ErrorKind/fallbackTemplate``.
  ///   - fallback: a sentence that says more in this place than the registered one.
  ///   - field: the parameter at fault, as a JSON Pointer into `params`.
  ///   - retryAfterMs: how long the server asked to wait, in milliseconds.
  ///   - details: facts for programs, by kind.
  ///   - cause: the kind of failure behind this one.
  package init(
    _ kind: ErrorKind, params: [String: PlainValue] = [:], fallback: String? = nil,
    field: String? = nil, retryAfterMs: Int? = nil, details: [String: PlainValue]? = nil,
    cause: ErrorKind? = nil
  ) {
    let message = Message(
      key: kind.messageKey, params: params, template: fallback ?? kind.fallbackTemplate)
    self.init(
      kind: kind, retryable: kind.isRetryable, message: message, field: field,
      retryAfterMs: retryAfterMs, details: details, cause: cause)
  }
}

extension Problem: Codable {
  /// Reads a problem; throws where the code is not that of the kind.
  package init(from decoder: any Decoder) throws {
    self = try ErrorData(from: decoder).problem
    let container = try decoder.container(keyedBy: ProblemKey.self)
    guard try container.decode(Int.self, forKey: .code) == kind.code else {
      throw DecodingError.dataCorruptedError(
        forKey: .code, in: container, debugDescription: "\(kind.rawValue) has another code")
    }
  }

  /// Writes the members in schema order, the code first.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ProblemKey.self)
    try container.encode(code, forKey: .code)
    try ErrorData(self).encode(into: &container)
  }
}
