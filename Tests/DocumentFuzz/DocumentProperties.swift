import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import HTTPTransport
import OAuth
import OpenSSLCrypto
import StrictJSON

@testable import ATXRPC

/// What must hold of documents that servers, or anybody, can write.
enum DocumentProperties {
  /// A DID document: what is read of it can be used without another look.
  static func identity(_ bytes: [UInt8]) {
    guard let json = json(bytes) else { return }
    do {
      let did = try DID(json["id"]?.stringValue ?? "did:web:example.com")
      let document = try DIDDocument(json: json, expecting: did)
      precondition(document.did == did)
      if let pds = document.pds {
        precondition(pds.scheme == "https" && pds.host()?.isEmpty == false, "\(pds)")
      }
    } catch {
      // A refusal is an answer.
    }
  }

  /// Both metadata documents of OAuth: no address that is not https gets through.
  static func metadata(_ bytes: [UInt8]) {
    guard let json = json(bytes) else { return }
    do {
      let origin = json["resource"]?.stringValue ?? ""
      let metadata = try ProtectedResourceMetadata(json: json, origin: origin)
      precondition(metadata.authorizationServer.rawValue.hasPrefix("https://"))
    } catch {
      // As above.
    }
    do {
      let issuer = try Issuer(json["issuer"]?.stringValue ?? "")
      let metadata = try AuthorizationServerMetadata(json: json, issuer: issuer)
      for url in [
        metadata.authorizationEndpoint, metadata.tokenEndpoint,
        metadata.pushedAuthorizationRequestEndpoint,
      ] {
        precondition(url.scheme == "https" && url.host()?.isEmpty == false, "\(url)")
      }
    } catch {
      // As above.
    }
  }

  /// A token answer: what is taken can stand in a header and ends within a year.
  static func tokens(_ bytes: [UInt8]) {
    let response = HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json"], body: bytes)
    let sentAt = Date(timeIntervalSince1970: 1_800_000_000)
    do {
      let tokens = try TokenResponse(.init(response: response, sentAt: sentAt))
      let text = tokens.accessToken.revealText()
      precondition(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "not for a header")
      if let end = tokens.expiresAt {
        precondition((0...31_536_000).contains(end.timeIntervalSince(sentAt)), "\(end)")
      }
    } catch {
      // As above.
    }
    _ = TokenResponse.issued(in: response)
  }

  /// A refusal of a call: its words are short, of one line, and without the caller's secrets.
  static func refusal(_ bytes: [UInt8]) {
    let secret = "secret-canary-0123456789"
    var request = HTTPRequest(url: URL(filePath: "/"))
    request.headers["Authorization"] = "DPoP \(secret)"
    let response = HTTPResponse(
      status: 400, headers: ["Content-Type": "application/json"], body: bytes)
    let answer = ServerAnswer(response, to: request)
    if let error = answer.error {
      precondition(error.count <= 81 && !error.contains(secret), "\(error)")
      precondition(!error.unicodeScalars.contains { $0.value < 0x20 }, "a control character")
    }
    for failure in [ResponseDecision.Failure.unauthorized, .forbidden, .transient, .http] {
      precondition(!"\(answer.error(for: failure, isProxied: true))".contains(secret))
    }
  }

  /// A callback address: it is never shown, and matches no route but its own.
  static func callback(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    do {
      let url = try CallbackURL(text)
      precondition("\(url)" == "CallbackURL(redacted)")
      let route = try CallbackRoute(redirectURI: "social.grain:/oauth/callback")
      if route.matches(url) {
        precondition(text.lowercased().hasPrefix("social.grain:/oauth/callback"), "\(text)")
      }
    } catch {
      // As above.
    }
  }

  /// A scope: it allows every operation it is said to stand for.
  static func scope(_ bytes: [UInt8]) {
    let scope = ScopeSet(String(decoding: bytes, as: UTF8.self))
    for operation in scope.operations { precondition(scope.allows(operation), "\(operation)") }
  }

  private static func json(_ bytes: [UInt8]) -> JSONValue? {
    do {
      return try JSONParser.parse(bytes)
    } catch {
      return nil
    }
  }
}
