package import ATSyntax
package import Foundation
package import GrainLexicon
package import HTTPTransport
package import StrictJSON

/// Where everything of a running sandbox is, and how a client is pointed at it.
package struct SandboxAddresses: Sendable {
  /// The directory of `did:plc`.
  package let plc: URL
  /// The AppView, which also serves the client document and resolves handles.
  package let appView: URL
  /// The self-contained PDS.
  package let pds: URL
  /// The authorization server of ``hostedPDS``.
  package let entryway: URL
  /// The PDS behind the entryway.
  package let hostedPDS: URL
  /// The self-contained PDS for new accounts.
  package let signUpPDS: URL
  /// The Platrium-like service.
  package let platrium: URL
  /// The Pixiv-like service.
  package let pixiv: URL
  /// The AppView as the proxy header and the scope name it.
  package let appViewService: AppViewService
  /// The address of the client metadata document.
  package let clientID: String
  /// The first redirect the document allows.
  package let redirectURI: String
  /// What a core has to know to meet the services that are no part of atproto: addresses, and the made-up
  /// values of the Pixiv-like one's client.
  package let serviceConfiguration: JSONObject
  /// What the handles end in, without a leading dot.
  package let domain: String
  /// Set when the network is served over https under names of its own.
  package let secure: SecureAddresses?

  /// The AppView's DID, its port escaped once.
  package var appViewDID: DID { appViewService.did }

  /// Asked for a handle when its own host gives none.
  package var handleResolver: URL { appView }

  /// The scope the client document names and the app asks for.
  package var scope: String { appViewService.scope }

  /// Host names that are really served here. A handle's longest pattern wins.
  package var hosts: [String: URL] {
    if let base = secure?.base { return ["*.\(domain)": base] }
    var hosts = [
      "*.test": pds, "alice.test": pds, "bob.test": pds, "*.entryway.test": entryway,
      "*.signup.test": signUpPDS,
    ]
    hosts[URL(string: clientID)?.host() ?? ""] = appView
    return hosts
  }

  /// What a client of this network, without a hosts file, has to be allowed.
  package var policy: NetworkPolicy {
    NetworkPolicy(
      allowInsecureLoopback: secure == nil, hosts: hosts, trustAnchors: secure?.authorityFile)
  }

  /// What `grain-core --config` reads to meet this network.
  package var configuration: JSONObject {
    var configuration: JSONObject = [
      "clientID": .string(clientID), "redirectURI": .string(redirectURI),
      "appServer": .string(appView.absoluteString), "appViewDID": .string(appViewDID.rawValue),
      "appViewService": .string(appViewService.serviceID),
      "handleResolver": .string(handleResolver.absoluteString),
      "plcDirectory": .string(plc.absoluteString), "signUpPDS": .string(signUpPDS.absoluteString),
      "allowInsecureLoopback": .bool(secure == nil),
      "hosts": .object(
        JSONObject(
          hosts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.absoluteString)) })),
    ]
    configuration["trustAnchors"] = (secure?.authorityFile).map(JSONValue.string)
    for (name, value) in serviceConfiguration.members { configuration[name] = value }
    return configuration
  }

  /// See ``serviceConfiguration``.
  static func serviceConfiguration(
    platrium: URL, pixiv: URL, _ settings: PixivServiceSettings
  ) -> JSONObject {
    let pixiv = pixiv.absoluteString
    return [
      "platriumServer": .string(platrium.absoluteString),
      "pixivClientID": .string(settings.clientID),
      "pixivClientSecret": .string(settings.clientSecret),
      "pixivHashSalt": .string(settings.hashSalt), "pixivLoginBase": .string(pixiv),
      "pixivTokenURL": .string("\(pixiv)\(PixivTokens.path)"), "pixivAPIBase": .string(pixiv),
    ]
  }

  /// The app's client metadata document (wire §4.1), for this network's AppView.
  static func clientDocument(
    clientID: String, redirectURIs: [String], service: AppViewService
  ) -> JSONObject {
    [
      "client_id": .string(clientID), "client_name": "Grain",
      "client_uri": .string(URL(string: clientID).map { "https://\($0.authority)" } ?? clientID),
      "application_type": "native", "token_endpoint_auth_method": "none",
      "dpop_bound_access_tokens": true,
      "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
      "redirect_uris": .array(redirectURIs.map(JSONValue.string)), "scope": .string(service.scope),
    ]
  }
}
