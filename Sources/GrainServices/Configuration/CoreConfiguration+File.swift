import Foundation
package import StrictJSON

/// Why a configuration file cannot be used, in words for whoever wrote it.
package struct ConfigurationError: Error, Equatable, Sendable {
  /// Names the place and what was expected there.
  package let message: String

  /// An error in these words.
  package init(_ message: String) {
    self.message = message
  }
}

extension CoreConfiguration {
  /// The built-in values with a file's values over them.
  ///
  /// - Throws: for what is no JSON object, has a member that does not exist, or a value of the
  ///   wrong kind or that cannot work; the message names the place.
  package static func reading(_ bytes: [UInt8]) throws(ConfigurationError) -> CoreConfiguration {
    let file: JSONValue
    do throws(JSONParseError) {
      file = try JSONParser.parse(bytes, limits: .document)
    } catch {
      throw ConfigurationError("the configuration is not JSON: \(error)")
    }
    return try reading(file)
  }

  /// The same for JSON that was read already.
  package static func reading(_ file: JSONValue) throws(ConfigurationError) -> CoreConfiguration {
    guard file.objectValue != nil else {
      throw ConfigurationError("the configuration is no JSON object")
    }
    do {
      let defaults = try JSONValueEncoder().encode(CoreConfiguration())
      try refuseUnknown(file, known: defaults, at: "")
      let configuration = try JSONValueDecoder().decode(
        CoreConfiguration.self, from: MergePatch.apply(file, to: defaults))
      try configuration.check()
      return configuration
    } catch let error as ConfigurationError {
      throw error
    } catch let error as JSONDecodingError {
      throw ConfigurationError("\(error.pointer): expected \(error.expected)")
    } catch {
      throw ConfigurationError("the configuration cannot be used")
    }
  }

  private static func refuseUnknown(
    _ file: JSONValue, known: JSONValue, at pointer: String
  ) throws(ConfigurationError) {
    guard let members = file.objectValue else { return }
    for (key, value) in members.members {
      guard let builtIn = known[key] else {
        throw ConfigurationError("\(pointer)/\(key): there is no such member")
      }
      // The map of hosts has keys of the file's own choosing.
      if key != "hosts" { try refuseUnknown(value, known: builtIn, at: "\(pointer)/\(key)") }
    }
  }
}
