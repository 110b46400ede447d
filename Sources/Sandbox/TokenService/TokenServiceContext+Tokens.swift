import Foundation
import JOSE
import OpenSSLCrypto
import SystemClients

extension TokenServiceContext {
  /// A code for a person's yes: good once, for five minutes (P15, P16).
  func newCode(_ question: ClientQuestion, user: String) async throws -> String {
    let code = Canary.marker + Base64URL.encode(random.bytes(32))
    try await store.insertCode(
      code, user: user, question: question,
      until: now.addingTimeInterval(settings.codeLife / .seconds(1)))
    return code
  }

  /// Makes a token, stores its digest, and gives the token out for the first and last time (P3–P5).
  func newClient(
    for user: TokenServiceUser, name: String, platform: String? = nil, appVersion: String? = nil
  ) async throws -> NewClient {
    let device = platform.map { platform in
      (id: "dev_\(Hex.text(random.bytes(12)))", platform: platform, appVersion: appVersion)
    }
    let client = NewClient(
      id: "cli_\(Hex.text(random.bytes(12)))",
      token: "plt_\(Canary.marker)\(Base64URL.encode(random.bytes(32)))", user: user.id,
      tenant: user.tenantID, name: name, device: device)
    try await store.insert(client, now: now)
    return client
  }

  /// Trades a code for a token. The code is burned before anything is compared (P17, P18).
  func redeem(
    code: String, verifier: String, redirectURI: String
  ) async throws -> (client: NewClient, user: TokenServiceUser) {
    guard let approved = try await store.burnCode(code), approved.until > now,
      approved.redirectURI == redirectURI,
      verifier.wholeMatch(of: /[A-Za-z0-9\-._~]{43,128}/) != nil,
      ConstantTime.equal(
        Base64URL.encode(Digest.sha256(verifier.utf8)), approved.challenge),
      let user = try await store.user(approved.user)
    else { throw TokenServiceRefusal.invalidGrant }
    let client = try await newClient(
      for: user, name: approved.name, platform: approved.platform,
      appVersion: approved.appVersion)
    return (client, user)
  }
}
