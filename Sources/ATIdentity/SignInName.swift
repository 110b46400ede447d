package import ATSyntax

/// What a person types to say who they are (FB-A21).
package enum SignInName {
  /// The typed text without what people paste along: invisible characters, surrounding blanks, a
  /// leading `@` or `at://`. A handle is put into lower case, a DID is kept as it is.
  package static func normalize(_ typed: String) -> String {
    let visible = typed.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
      default: true
      }
    }
    // Blanks inside are kept out as well as around: no name has one, but "alice example" must not
    // silently become "aliceexample".
    let hasInnerBlank = typed.split(whereSeparator: \.isWhitespace).count > 1
    var name = hasInnerBlank ? typed : String(String.UnicodeScalarView(visible))
    // Keyboards put the first letter of a field into upper case.
    for prefix in ["at://", "@"] where name.lowercased().hasPrefix(prefix) {
      name.removeFirst(prefix.count)
    }
    return name.hasPrefix("did:") ? name : name.lowercased()
  }

  /// The account a typed text names.
  ///
  /// - Throws: ``IdentityError/invalidInput(_:)`` unless it is a handle or a DID.
  package static func parse(_ typed: String) throws(IdentityError) -> ATIdentifier {
    let name = normalize(typed)
    do {
      return try ATIdentifier(name)
    } catch {
      throw .invalidInput(name)
    }
  }
}
