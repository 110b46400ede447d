import Foundation
import Sandbox
import StrictJSON

/// How to reach the sandbox's services that are no part of atproto, and who has an account there.
struct OtherServices {
  private let addresses: SandboxAddresses
  private let configuration: SandboxConfiguration

  init(_ addresses: SandboxAddresses, _ configuration: SandboxConfiguration) {
    self.addresses = addresses
    self.configuration = configuration
  }

  /// For programs.
  var platrium: JSONValue {
    let people = configuration.tokenService.people.map { person in
      JSONValue.object([
        "email": .string(person.email), "password": .string(person.password),
        "id": .string(person.id),
      ])
    }
    return ["url": .string(addresses.platrium.absoluteString), "accounts": .array(people)]
  }

  /// For programs. The client's values are made up for this sandbox.
  var pixiv: JSONValue {
    let people = configuration.pixiv.people.map { person in
      JSONValue.object([
        "account": .string(person.account), "password": .string(person.password),
        "id": JSONValue(person.id),
      ])
    }
    return [
      "url": .string(addresses.pixiv.absoluteString), "accounts": .array(people),
      "clientID": .string(configuration.pixiv.clientID),
      "clientSecret": .string(configuration.pixiv.clientSecret),
      "hashSalt": .string(configuration.pixiv.hashSalt),
    ]
  }

  /// For people.
  var words: String {
    """
      Platrium      \(addresses.platrium.absoluteString)   \(names(of: configuration.tokenService))
      Pixiv         \(addresses.pixiv.absoluteString)   \(names(of: configuration.pixiv))
      trouble       any of them takes POST /_sandbox/faults; see bridge/README.md
    """
  }

  private func names(of settings: TokenServiceSettings) -> String {
    settings.people.map(\.email).joined(separator: " and ")
  }

  private func names(of settings: PixivServiceSettings) -> String {
    settings.people.map(\.account).joined(separator: " and ")
  }
}
