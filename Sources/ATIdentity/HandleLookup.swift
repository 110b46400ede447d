import ATSyntax
import Foundation
import HTTPTransport
import StrictJSON

/// Asks which DID a handle names: the handle's own host first, a resolver service only if that names
/// none (G6, G7).
struct HandleLookup: Sendable {
  let configuration: IdentityConfiguration
  let http: HTTPClient

  /// The DID, not yet confirmed by its document.
  ///
  /// - Throws: `handleNotFound` when everybody who answered knows of no such handle, `unreachable`
  ///   when the resolver service could not say (FB-A20). When the handle's own host was there but its
  ///   certificate was refused, that is the reason: whoever runs it can mend it.
  func did(for handle: Handle) async throws(IdentityError) -> DID {
    var refused: IdentityError?
    do throws(IdentityError) {
      if let did = try await didFromHost(of: handle) { return did }
    } catch {
      refused = error
    }
    do throws(IdentityError) {
      return try await didFromResolver(for: handle)
    } catch {
      if case .unreachable(_, .cancelled?) = error { throw error }
      throw refused ?? error
    }
  }

  /// `https://<handle>/.well-known/atproto-did`, following at most three redirects by hand.
  ///
  /// - Returns: `nil` for whatever kept this host from naming a DID, so that the resolver service is
  ///   asked next.
  /// - Throws: `unreachable` for a certificate that was refused, and for nothing else.
  private func didFromHost(of handle: Handle) async throws(IdentityError) -> DID? {
    guard var url = URL(string: "https://\(handle.rawValue)/.well-known/atproto-did") else {
      return nil
    }
    let fetch = IdentityFetch(http: http, deadline: .seconds(5), maximumBodyBytes: 2048)
    for _ in 0...3 {
      let response: HTTPResponse
      do throws(IdentityError) {
        response = try await fetch.get(url, accept: "text/plain, */*;q=0.1")
      } catch {
        if case .unreachable(_, .tls?) = error { throw error }
        return nil
      }
      if (200..<300).contains(response.status) { return Self.did(inFirstLineOf: response.body) }
      guard let next = redirect(response, from: url) else { return nil }
      url = next
    }
    return nil
  }

  /// Where a redirect leads, if it may be followed: https only. HTTPTransport refuses what is not
  /// public, hop by hop.
  private func redirect(_ response: HTTPResponse, from url: URL) -> URL? {
    guard
      [301, 302, 303, 307, 308].contains(response.status),
      let location = response.headers["Location"],
      let next = URL(string: location, relativeTo: url)?.absoluteURL,
      next.scheme == "https", next.user == nil, next.password == nil,
      next.port == nil || next.port == 443 || configuration.allowInsecureLoopback
    else { return nil }
    return next
  }

  private static func did(inFirstLineOf body: [UInt8]) -> DID? {
    let line = body.prefix { $0 != UInt8(ascii: "\n") }
    let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    return Self.blessed(text.trimmingCharacters(in: .controlCharacters))
  }

  private static func blessed(_ text: String) -> DID? {
    do {
      let did = try DID(text)
      return did.isBlessed ? did : nil
    } catch {
      return nil
    }
  }

  private func didFromResolver(for handle: Handle) async throws(IdentityError) -> DID {
    let base = configuration.handleResolver
    let url = base.appending(path: "xrpc/com.atproto.identity.resolveHandle")
      .appending(queryItems: [URLQueryItem(name: "handle", value: handle.rawValue)])
    let fetch = IdentityFetch(http: http, deadline: .seconds(10), maximumBodyBytes: 16_384)
    let response = try await fetch.get(url, accept: "application/json")
    let body = IdentityJSON.object(response)
    if response.status == 200, let did = body?["did"]?.stringValue.flatMap(Self.blessed) {
      return did
    }
    guard response.status == 400, Self.saysNotFound(body) else {
      throw .unreachable(host: IdentityFetch.name(of: base), nil)
    }
    throw .handleNotFound(handle)
  }

  /// "Not found" comes back under two error names (atproto-wire §1.3).
  private static func saysNotFound(_ body: JSONObject?) -> Bool {
    switch body?["error"]?.stringValue {
    case "HandleNotFound": true
    case "InvalidRequest": body?["message"]?.stringValue == "Unable to resolve handle"
    default: false
    }
  }
}
