import Foundation
import HTTPTransport

/// Who we say we are to an authorization server: a client id and where the browser comes back to.
///
/// - SeeAlso: atproto-wire §4
package struct ClientIdentity: Equatable, Sendable {
  /// Why a pair of client id and redirect cannot work at any server.
  package enum Invalid: Error, Equatable, Sendable {
    /// Not an https URL of a document (a path, no user information, fragment or IP address).
    case clientID(String)
    /// A redirect no server accepts from this client.
    case redirectURI(String)
  }

  /// The client id.
  package let clientID: String
  /// The redirect, repeated character for character in every request that carries one.
  package let redirectURI: String

  /// A client that publishes its metadata document at its id.
  ///
  /// - `redirectURI`: the id's host reversed as a scheme with a single slash (`grain.social` gives
  ///   `social.grain:/…`), an http loopback address literal, or an https URL of the id's origin.
  /// - Throws: ``Invalid``.
  package static func published(
    clientID: String, redirectURI: String
  ) throws(Invalid) -> ClientIdentity {
    guard
      let url = URL(string: clientID), url.scheme == "https", let origin = Origin(url),
      let host = url.host(percentEncoded: true), host.contains("."),
      host.contains(where: \.isLetter), !host.hasPrefix("["), url.user == nil, url.fragment == nil,
      url.path(percentEncoded: true).count > 1,
      !url.path(percentEncoded: true).hasSuffix("/")
    else { throw .clientID(clientID) }
    let reversed = host.split(separator: ".").reversed().joined(separator: ".")
    let route: CallbackRoute
    do {
      route = try CallbackRoute(redirectURI: redirectURI)
    } catch {
      throw .redirectURI(redirectURI)
    }
    let isOurs =
      switch route.scheme {
      case "https": URL(string: redirectURI).flatMap(Origin.init) == origin
      case "http": LoopbackHost.isLiteral(route.host ?? "")
      default: route.scheme == reversed && route.host == nil && route.path.hasPrefix("/")
      }
    guard isOurs else { throw .redirectURI(redirectURI) }
    return ClientIdentity(clientID: clientID, redirectURI: redirectURI)
  }

  /// atproto's development client, whose id carries its own metadata (G97).
  ///
  /// The redirect inside the id has no port: servers accept any port then, and the id stays the same
  /// when the next sign-in listens elsewhere, which refreshing needs.
  ///
  /// - `redirectURI`: http to `127.0.0.1` or `[::1]` with the real port (FB-A24).
  /// - Throws: ``Invalid/redirectURI(_:)``.
  package static func development(
    redirectURI: String, scope: String
  ) throws(Invalid) -> ClientIdentity {
    let route: CallbackRoute
    do {
      route = try CallbackRoute(redirectURI: redirectURI)
    } catch {
      throw .redirectURI(redirectURI)
    }
    guard route.scheme == "http", let host = route.host, LoopbackHost.isLiteral(host) else {
      throw .redirectURI(redirectURI)
    }
    let query = String(
      decoding: FormURLEncoding.encode([
        ("redirect_uri", "http://\(host)\(route.path)"), ("scope", scope),
      ]), as: UTF8.self)
    return ClientIdentity(clientID: "http://localhost?\(query)", redirectURI: redirectURI)
  }

  /// A client whose spelling was checked when it was stored.
  package init(clientID: String, redirectURI: String) {
    self.clientID = clientID
    self.redirectURI = redirectURI
  }
}
