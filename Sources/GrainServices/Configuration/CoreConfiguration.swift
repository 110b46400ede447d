import ATSyntax
import Foundation
package import GrainLexicon

/// Everything that names a host, a client, a scope, a limit or a time; production values by default.
///
/// Read from `--config FILE` over these values (`Schemas/config.json`). Source: grain-product §1, G96, G98.
package struct CoreConfiguration: Codable, Equatable, Sendable {
  /// The OAuth client metadata document, which is also the client's name (G2).
  package var clientID = "https://grain.social/oauth/app-client-metadata.json"
  /// Where the browser brings the authorization response (G3).
  package var redirectURI = "social.grain:/oauth/callback"
  /// The app server asked when nobody is signed in (G42).
  package var appServer = "https://grain.social"
  /// The AppView's DID, in its unescaped form.
  package var appViewDID = "did:web:grain.social"
  /// The AppView's service id inside its DID document.
  package var appViewService = "grain_appview"
  /// Who is asked for a handle when its own host gives no DID (G7).
  package var handleResolver = "https://public.api.bsky.app"
  /// The directory of `did:plc` documents (G9).
  package var plcDirectory = "https://plc.directory"
  /// Where a new account is made (G25).
  package var signUpPDS = "https://selfhosted.social"
  /// Development only: plain http to loopback addresses; see also ``looksUpTestNames``.
  package var allowInsecureLoopback = false
  /// Development only: requests for a name (or `*.test`) are really sent to this base URL.
  package var hosts: [String: String] = [:]
  /// Development only: a PEM file whose certificates are trusted instead of the system's; empty for
  /// those.
  package var trustAnchors = ""
  /// Development only: with an external browser, use the loopback client id (G97).
  package var loopbackClient = false
  /// The port of ours that a browser's answer is awaited on; 0 lets the system choose a free one (FB-B1).
  package var loopbackPort = 0
  /// Whether a sign-in makes a Grain profile from the Bluesky one where there is none (G114).
  package var ensureProfile = true
  /// The Platrium service that is meant when a person names none; empty when they must name one.
  package var platriumServer = ""
  /// Where the browser brings Platrium's answer when it cannot come to a port of ours (P19).
  package var platriumRedirectURI = "platrium://auth/callback"
  /// What this client calls itself on Platrium's consent page, unless it is a device with its own name.
  package var platriumClientName = "Grain"
  /// Names the client at Pixiv's token endpoint; brought by the host application, like the next two.
  /// Without all three nobody can sign in with Pixiv (A48).
  package var pixivClientID = ""
  /// Goes with it.
  package var pixivClientSecret = ConfiguredSecret()
  /// Salts the hash that every request to Pixiv carries.
  package var pixivHashSalt = ConfiguredSecret()
  /// Where people sign in to Pixiv, without the path.
  package var pixivLoginBase = "https://app-api.pixiv.net"
  /// Where Pixiv exchanges codes and refresh tokens.
  package var pixivTokenURL = "https://oauth.secure.pixiv.net/auth/token"
  /// What the paths of Pixiv's API are added to.
  package var pixivAPIBase = "https://app-api.pixiv.net"
  /// Sent to Pixiv's hosts, and to no other (FB-G4).
  package var pixivUserAgent = "PixivAndroidApp/5.0.234 (Android 11; Pixel 5)"
  /// The language of Pixiv's texts for people.
  package var pixivLanguage = "en"
  /// Bounds on what is published.
  package var limits = PublishLimits()
  /// How long we wait.
  package var times = Times()

  /// The production values.
  package init() {}

  /// What may be published, and how it is sent. Source: grain-product §12.
  package struct PublishLimits: Codable, Equatable, Sendable {
    /// Photographs in one gallery.
    package var photos = 20
    /// Width of a prepared picture, in pixels.
    package var width = 2000
    /// Height of a prepared picture, in pixels.
    package var height = 2000
    /// Size of a prepared picture, in bytes.
    package var bytes = 900_000
    /// Uploads at the same time.
    package var parallelUploads = 4
    /// URIs in one `indexRecords` call (G48).
    package var indexBatch = 25
    /// Days for which a draft is kept after its last change.
    package var draftDays = 7

    /// The production values.
    package init() {}
  }

  /// Waiting times, in milliseconds.
  package struct Times: Codable, Equatable, Sendable {
    /// For an answer to an ordinary request.
    package var requestMs = 15_000
    /// For the upload of one picture.
    package var uploadMs = 120_000
    /// For the person to come back from the browser.
    package var browserMs = 3_600_000
    /// For the person to come back where the answer is awaited on a port of ours, which is closed
    /// then (FB-B6).
    package var loopbackMs = 900_000
    /// For the revocation at sign-out (G103).
    package var revocationMs = 4_000
    /// How long before its expiry an access token is refreshed.
    package var refreshLeadMs = 60_000
    /// At most so much earlier still, drawn for each token: many clients do not ask at once.
    package var refreshJitterMs = 30_000

    /// The production values.
    package init() {}
  }

  /// The AppView as servers are told of it; `nil` when the configured DID is none.
  package var appView: AppViewService? {
    do throws(SyntaxError) {
      return AppViewService(did: try DID(appViewDID), serviceID: appViewService)
    } catch {
      return nil
    }
  }
}

extension CoreConfiguration {
  /// The host of the sign-up server, as people read it.
  package var signUpHost: String { URL(string: signUpPDS)?.host() ?? signUpPDS }
}
