/// One change of a schema, as the table of bridge-protocol §12 lists them.
enum SchemaChange: Equatable {
  case addedOptional
  case addedRequired
  case removed
  case retyped(String)
  case reusedReserved
  case forgotReserved(String)
  case nowOptional
  case nowRequired
  case addedWord(String, isOpen: Bool, isStatus: Bool)
  case removedWord(String)
  case widened(String)
  case narrowed(String)

  /// Whether it is another type altogether.
  var isRetyping: Bool {
    if case .retyped = self { true } else { false }
  }

  /// What happened, in words.
  var what: String {
    switch self {
    case .addedOptional: "is new"
    case .addedRequired: "is new and required"
    case .removed: "was removed"
    case .retyped(let how): how
    case .reusedReserved: "is a retired name"
    case .forgotReserved(let name): "\(name) is no longer reserved"
    case .nowOptional: "was required and is optional"
    case .nowRequired: "was optional and is required"
    case .addedWord(let word, _, _): "\(word) is a new value"
    case .removedWord(let word): "the value \(word) was removed"
    case .widened(let keyword): "\(keyword) allows more"
    case .narrowed(let keyword): "\(keyword) allows less"
    }
  }

  /// Why the change may not be.
  ///
  /// - Parameters:
  ///   - direction: who writes the value.
  ///   - isGated: whether it comes with a new feature, so that a newer shell does not use it against
  ///     an older core.
  /// - Returns: the reason; `nil` where the change is allowed.
  func refusal(_ direction: Direction, isGated: Bool) -> String? {
    switch (self, direction) {
    case (.addedOptional, .toShell): nil
    case (.addedWord(_, let isOpen, let isStatus), .toShell):
      if isStatus {
        "status is closed for all of version 1"
      } else {
        isOpen ? nil : "older shells switch over this enum without a default; it is not open"
      }
    case (.addedOptional, .toCore), (.addedWord, .toCore), (.widened, .toCore),
      (.nowOptional, .toCore):
      isGated ? nil : "an older core refuses it; gate it with a new x-grain-feature"
    case (.widened, .toShell): "older shells rely on the old bound"
    case (.nowOptional, .toShell): "older shells rely on it"
    case (.nowRequired, .toShell): "older cores leave it out"
    case (.nowRequired, .toCore): "older shells leave it out"
    case (.addedRequired, .toShell): "older cores do not send it; make it optional"
    case (.addedRequired, .toCore): "older shells do not send it; make it optional"
    case (.removed, .toShell), (.removedWord, .toShell): "older shells may need it"
    case (.removed, .toCore), (.removedWord, .toCore): "older shells may send it"
    case (.narrowed, .toShell): "older cores may send what it no longer allows"
    case (.narrowed, .toCore): "older shells may send what it no longer allows"
    case (.retyped, _): "the other side expects the old type"
    case (.reusedReserved, _), (.forgotReserved, _): "retired names never come back"
    }
  }
}
