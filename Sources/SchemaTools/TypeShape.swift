import StrictJSON

/// The type of a value, as all languages have it.
indirect enum TypeShape: Equatable {
  case text, integer, number, flag, null
  /// One constant.
  case constant(JSONValue)
  /// One of these texts; an open one may grow.
  case words([String], isOpen: Bool)
  case list(TypeShape)
  /// Values by free names.
  case map(TypeShape)
  /// An object whose members nothing is said about.
  case anyObject
  /// An object without members.
  case emptyObject
  /// Anything.
  case any
  /// A declared type.
  case named(String)
  case union([TypeShape])
}

/// A property of an object.
struct TypeMember {
  let name: String
  let words: String?
  let shape: TypeShape
  let isRequired: Bool
  /// The feature it comes with.
  let feature: String?
  let isDeprecated: Bool
}

/// A type with a name of its own.
struct TypeDeclaration {
  enum Kind {
    case object([TypeMember])
    case alias(TypeShape)
  }

  let name: String
  let words: String
  let kind: Kind
  /// The feature it comes with.
  let feature: String?
}
