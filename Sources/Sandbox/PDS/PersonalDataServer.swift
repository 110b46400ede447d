import ATSyntax
package import Foundation
package import HTTPServing
import HTTPTransport
import StrictJSON
import SystemClients

/// One account's home: its repository, its blobs, and the way to services elsewhere.
///
/// Behaves as wire reference §§10–11 says the reference PDS does, down to the order of its
/// refusals. Authorization is somebody else's judgement, passed in.
package struct PersonalDataServer: Sendable {
  /// Its tables, in the order in which they are made.
  package static let migrations = [
    """
    CREATE TABLE pds_account (
      did TEXT PRIMARY KEY, server TEXT NOT NULL, handle TEXT NOT NULL UNIQUE, email TEXT NOT NULL,
      salt BLOB NOT NULL, password BLOB NOT NULL, status TEXT NOT NULL,
      signing_key BLOB NOT NULL, rotation_key BLOB NOT NULL, head TEXT) STRICT;
    CREATE TABLE pds_record (
      did TEXT NOT NULL REFERENCES pds_account (did), collection TEXT NOT NULL, rkey TEXT NOT NULL,
      cid TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (did, collection, rkey)) STRICT;
    CREATE TABLE pds_blob (
      did TEXT NOT NULL REFERENCES pds_account (did), cid TEXT NOT NULL, media_type TEXT NOT NULL,
      content BLOB NOT NULL, is_temporary INTEGER NOT NULL, PRIMARY KEY (did, cid)) STRICT;
    CREATE TABLE pds_blob_reference (
      did TEXT NOT NULL, cid TEXT NOT NULL, collection TEXT NOT NULL, rkey TEXT NOT NULL,
      PRIMARY KEY (did, cid, collection, rkey)) STRICT;
    """
  ]

  /// What tells one server from another.
  package struct Settings: Sendable {
    /// Its public origin.
    package var url: URL
    /// Who issues its tokens; itself when it is self-contained.
    package var issuer: URL
    /// Behind an entryway it answers for no handle (wire §1.2).
    package var answersForHandles: Bool
    /// In bytes.
    package var blobUploadLimit = 5 * 1024 * 1024

    /// A server that issues tokens itself when `issuer` is `url`.
    package init(url: URL, issuer: URL, answersForHandles: Bool = true) {
      self.url = url
      self.issuer = issuer
      self.answersForHandles = answersForHandles
    }
  }

  let settings: Settings
  let accounts: HostedAccounts
  let repositories: Repositories
  let verifier: any AccessVerifier
  let services: ServiceDocuments
  let http: HTTPClient
  let clock: SystemClock
  let random: SystemRandom

  /// A server for these accounts; the verifier judges the tokens of every call.
  package init(
    settings: Settings, accounts: HostedAccounts, verifier: any AccessVerifier
  ) {
    self.settings = settings
    self.accounts = accounts
    self.verifier = verifier
    http = accounts.http
    clock = accounts.clock
    random = accounts.random
    services = ServiceDocuments(
      identities: DIDDocuments(plcDirectory: accounts.plcDirectory, http: accounts.http),
      clock: accounts.clock)
    repositories = Repositories(
      store: accounts.store, clock: accounts.clock,
      revisions: TIDGenerator(clockID: accounts.random.integer(below: 1024)))
  }

  /// The server's own service DID.
  var did: String { "did:web:\(settings.url.authority.replacing(":", with: "%3A"))" }

  /// - Returns: `nil` for a path that is not a resource server's.
  package func handle(_ request: HTTPServerRequest) async -> HTTPServerResponse? {
    switch request.path {
    case "/.well-known/atproto-did": await handleDocument(request)
    case "/.well-known/oauth-protected-resource": resourceMetadata
    case let path where path == "/xrpc" || path.hasPrefix("/xrpc/"): await xrpc(request)
    default: nil
    }
  }

  /// Wire §1.2: the DID of the account whose handle is the `Host`.
  private func handleDocument(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    guard settings.answersForHandles else { return .html("User not found", status: 404) }
    return await accounts.handleDocument(for: request)
  }

  /// Wire §3.1.
  private var resourceMetadata: HTTPServerResponse {
    .xrpc([
      "resource": .string(settings.url.absoluteString),
      "authorization_servers": [.string(settings.issuer.absoluteString)],
      "scopes_supported": [], "bearer_methods_supported": ["header"],
      "resource_documentation": "https://atproto.com",
    ])
  }
}

extension HostedAccounts {
  /// The answer to `/.well-known/atproto-did`, by whoever answers for these accounts' handles.
  package func handleDocument(for request: HTTPServerRequest) async -> HTTPServerResponse {
    let host = String((request.headers["Host"] ?? "").prefix { $0 != ":" })
    guard let account = await account(host), account.handle.rawValue == host.lowercased() else {
      return .html("User not found", status: 404)
    }
    return .text(account.did.rawValue, status: 200)
  }
}

extension URL {
  /// `host` or `host:port`, as a `Host` header names it.
  var authority: String {
    let host = host() ?? ""
    return port.map { "\(host):\($0)" } ?? host
  }
}
