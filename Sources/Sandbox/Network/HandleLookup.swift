import ATSyntax
import Foundation
import HTTPTransport

/// Asks a handle's own host for its DID (wire §1.2); unverified.
struct HandleLookup: Sendable {
  let http: HTTPClient

  /// `nil` when the host does not answer with a DID.
  func did(of handle: Handle) async -> DID? {
    guard let url = URL(string: "https://\(handle)/.well-known/atproto-did") else { return nil }
    let request = HTTPRequest(url: url, deadline: .seconds(3), maximumBodyBytes: 10_480)
    // Any failure to ask is a failure to resolve.
    guard let response = try? await http.send(request), (200..<300).contains(response.status)
    else { return nil }
    let line = response.body.prefix { $0 != UInt8(ascii: "\n") }
    let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    // What is not a DID is no answer.
    return try? DID(text)
  }
}
