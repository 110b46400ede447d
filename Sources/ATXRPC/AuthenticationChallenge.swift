package import HTTPTransport

/// What a server asks for in `WWW-Authenticate`, wherever it stands among other challenges (FB-F7).
///
/// - SeeAlso: RFC 9110 §11.6.1
package struct AuthenticationChallenge: Equatable, Sendable {
  /// In lower case.
  package let scheme: String
  /// Names in lower case.
  package let parameters: [String: String]

  /// The `error` of the first DPoP challenge.
  package static func dpopError(in headers: HTTPHeaders) -> String? {
    challenges(in: headers).first { $0.scheme == "dpop" }?.parameters["error"]
  }

  /// Every challenge, in order; what cannot be read is skipped.
  package static func challenges(in headers: HTTPHeaders) -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    for item in headers.all("WWW-Authenticate").flatMap(split) {
      var parameter = item[...]
      let word = item.prefix { $0 != " " && $0 != "=" }
      let rest = item[word.endIndex...].drop { $0 == " " }
      // A scheme is a word that is not itself the name of a parameter.
      if !rest.hasPrefix("="), String(word).isToken {
        challenges.append(AuthenticationChallenge(scheme: word.lowercased(), parameters: [:]))
        parameter = rest
      }
      guard let last = challenges.popLast() else { continue }
      var parameters = last.parameters
      if let equals = parameter.firstIndex(of: "=") {
        let name = parameter[..<equals].filter { $0 != " " }.lowercased()
        parameters[name] = unquoted(parameter[parameter.index(after: equals)...])
      }
      challenges.append(AuthenticationChallenge(scheme: last.scheme, parameters: parameters))
    }
    return challenges
  }

  /// The comma-separated items of a field, commas inside quotes left alone.
  private static func split(_ field: String) -> [String] {
    var items: [String] = [""]
    var isQuoted = false
    var isEscaped = false
    for character in field {
      if character == ",", !isQuoted {
        items.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      items[items.count - 1].append(character)
    }
    return items.map { String($0.drop { $0 == " " || $0 == "\t" }) }.filter { !$0.isEmpty }
  }

  private static func unquoted(_ text: Substring) -> String {
    let trimmed = text.drop { $0 == " " }
    guard trimmed.hasPrefix("\"") else { return String(trimmed.prefix { $0 != " " }) }
    var value = ""
    var isEscaped = false
    for character in trimmed.dropFirst() {
      if isEscaped {
        value.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        break
      } else {
        value.append(character)
      }
    }
    return value
  }
}
