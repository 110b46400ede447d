package import ATSyntax
package import Foundation
package import GrainLexicon
package import StrictJSON

/// Where everything of a running sandbox is, and how a client is pointed at it.
package struct SandboxAddresses: Sendable {
  package let plc: URL
  package let appView: URL
  package let pds: URL
  package let entryway: URL
  package let hostedPDS: URL
  package let signUpPDS: URL
  /// The AppView as the proxy header and the scope name it.
  package let appViewService: AppViewService
  package let clientID: String
  package let redirectURI: String

  package var appViewDID: DID { appViewService.did }

  /// Asked for a handle when its own host gives none.
  package var handleResolver: URL { appView }

  /// The scope the client document names and the app asks for.
  package var scope: String { appViewService.scope }

  /// Host names that are really served here. A handle's longest pattern wins.
  package var hosts: [String: URL] {
    var hosts = [
      "*.test": pds, "alice.test": pds, "bob.test": pds, "*.entryway.test": entryway,
      "*.signup.test": signUpPDS,
    ]
    hosts[URL(string: clientID)?.host() ?? ""] = appView
    return hosts
  }

  /// What `grain-core --config` reads to meet this network.
  package var configuration: JSONObject {
    [
      "clientID": .string(clientID), "redirectURI": .string(redirectURI),
      "appServer": .string(appView.absoluteString), "appViewDID": .string(appViewDID.rawValue),
      "appViewService": .string(appViewService.serviceID),
      "handleResolver": .string(handleResolver.absoluteString),
      "plcDirectory": .string(plc.absoluteString), "signUpPDS": .string(signUpPDS.absoluteString),
      "allowInsecureLoopback": true,
      "hosts": .object(
        JSONObject(
          hosts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.absoluteString)) })),
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
