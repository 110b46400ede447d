/// The `data` of a JSON-RPC error: a problem without its code, which the error object itself has.
package struct ErrorData: Codable, Equatable, Sendable {
  /// The problem the error tells of.
  package var problem: Problem

  /// The error data for a problem.
  package init(_ problem: Problem) { self.problem = problem }

  /// Reads a problem without its code.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ProblemKey.self)
    problem = Problem(
      kind: try container.decode(ErrorKind.self, forKey: .kind),
      retryable: try container.decode(Bool.self, forKey: .retryable),
      message: try container.decode(Message.self, forKey: .message),
      field: try container.decodeIfPresent(String.self, forKey: .field),
      retryAfterMs: try container.decodeIfPresent(Int.self, forKey: .retryAfterMs),
      details: try container.decodeIfPresent([String: PlainValue].self, forKey: .details),
      cause: try container.decodeIfPresent(ErrorKind.self, forKey: .cause))
  }

  /// Writes the problem without its code.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ProblemKey.self)
    try encode(into: &container)
  }

  func encode(into container: inout KeyedEncodingContainer<ProblemKey>) throws {
    try container.encode(problem.kind, forKey: .kind)
    try container.encode(problem.retryable, forKey: .retryable)
    try container.encode(problem.message, forKey: .message)
    try container.encodeIfPresent(problem.field, forKey: .field)
    try container.encodeIfPresent(problem.retryAfterMs, forKey: .retryAfterMs)
    try container.encodeIfPresent(problem.details.map(SortedMembers.init), forKey: .details)
    try container.encodeIfPresent(problem.cause, forKey: .cause)
  }
}

/// The members of a problem, in schema order.
enum ProblemKey: String, CodingKey {
  case code, kind, retryable, message, field, retryAfterMs, details, cause
}
