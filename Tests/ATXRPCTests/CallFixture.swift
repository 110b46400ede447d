import ATSyntax
import ATXRPC
import Foundation
import GrainTestSupport
import HTTPTransport
import SystemClients

/// One account's authorization in numbers: its tokens are `token-0`, `token-1` …
final class Account: Sendable {
  private struct State {
    var generation = 0
    var nonce: String?
    var refreshes = 0
    var clockCorrections = 0
  }

  private let state = Locked(State())
  let refreshFailure: XRPCError?

  init(refreshFailure: XRPCError? = nil) { self.refreshFailure = refreshFailure }

  var refreshes: Int { state.withLock { $0.refreshes } }
  var clockCorrections: Int { state.withLock { $0.clockCorrections } }

  /// As if another call had refreshed.
  func rotate() { state.withLock { $0.generation += 1 } }

  var authorization: XRPCAuthorization {
    XRPCAuthorization(
      sign: { [self] request throws(XRPCError) in
        let (generation, nonce) = state.withLock { ($0.generation, $0.nonce) }
        var request = request
        request.headers["Authorization"] = "DPoP token-number-\(generation)"
        request.headers["DPoP"] = "proof-with-nonce-\(nonce ?? "none")"
        return .init(request: request, token: .init("\(generation)"), nonce: nonce)
      },
      learn: { [self] response, _ in
        guard let nonce = response.headers["DPoP-Nonce"] else { return nil }
        state.withLock { $0.nonce = nonce }
        return nonce
      },
      correctClock: { [self] _, _ in state.withLock { $0.clockCorrections += 1 } },
      currentToken: { [self] in .init("\(state.withLock { $0.generation })") },
      refresh: { [self] token throws(XRPCError) in
        if let refreshFailure { throw refreshFailure }
        state.withLock { state in
          guard token == .init("\(state.generation)") else { return }
          state.generation += 1
          state.refreshes += 1
        }
      })
  }

  func client(_ network: ScriptedHTTP, proxy: String? = "did:web:grain.test#grain_appview") throws
    -> XRPCClient
  {
    XRPCClient(
      base: try CallFixture.url("https://pds.test"), http: network.client,
      authorization: authorization, proxy: proxy)
  }
}

enum CallFixture {
  static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }

  /// A 401 with that DPoP challenge.
  static func challenge(_ error: String, nonce: String? = nil) -> ScriptedHTTP.Answer {
    var headers: HTTPHeaders = [
      "WWW-Authenticate": #"DPoP algs="ES256", error="\#(error)", error_description="x""#
    ]
    headers["DPoP-Nonce"] = nonce
    return .json(#"{"error":"\#(error)","message":"x"}"#, status: 401, headers: headers)
  }
}

extension ScriptedHTTP {
  /// The tokens the requests carried.
  var tokens: [String?] { requests.map { $0.headers["Authorization"] } }

  /// The proofs they carried.
  var proofs: [String?] { requests.map { $0.headers["DPoP"] } }
}
