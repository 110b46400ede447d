import Foundation
import HTTPTransport
import JOSE
import OpenSSLCrypto

import HTTPServing
import SystemClients

/// One request as a test or an operator may see it: nothing in it is secret.
package struct LoggedRequest: Sendable, Equatable, CustomStringConvertible {
  /// The server's name in the sandbox: `pds`, `plc`, `appview` …
  package let server: String
  /// In capitals.
  package let method: String
  /// The `Host` header, which is how handles are told apart.
  package let host: String
  /// Without the query, which may carry a state or a code.
  package let path: String
  /// 0 until the answer is written, and for good when the connection was cut instead.
  package fileprivate(set) var status: Int

  package var description: String { "\(server) \(method) \(host)\(path) \(status)" }
}

/// A DPoP proof as it was sent, with what it must match: an outside JOSE library checks these.
package struct RecordedProof: Sendable, Equatable {
  /// The server's name in the sandbox.
  package let server: String
  /// In capitals.
  package let method: String
  /// What `htu` must be: the server's public URL and the path.
  package let url: String
  /// The compact JWS.
  package let proof: String
  /// What `ath` must be; `nil` where no access token was sent. Never the token itself.
  package let accessTokenHash: String?
}

/// Who asked for what, in the order of arrival.
package final class RequestLog: Sendable {
  private let requests = Locked<[LoggedRequest]>([])
  private let proofs = Locked<[RecordedProof]>([])

  /// An empty log.
  package init() {}

  /// Every request so far.
  package var entries: [LoggedRequest] { requests.withLock { $0 } }

  /// Every proof so far.
  package var recordedProofs: [RecordedProof] { proofs.withLock { $0 } }

  /// Forgets the requests and the proofs, so that a test can count from here.
  package func clear() {
    requests.withLock { $0 = [] }
    proofs.withLock { $0 = [] }
  }

  /// Notes a request at its arrival.
  ///
  /// - Returns: the entry's place, for ``answer(_:status:)``.
  func arrival(_ request: HTTPServerRequest, at server: String, url: URL) -> Int {
    for proof in request.headers.all("DPoP") {
      let token = request.headers["Authorization"]?.split(separator: " ").last
      let recorded = RecordedProof(
        server: server, method: request.method, url: url.absoluteString + request.path,
        proof: proof, accessTokenHash: token.map { Base64URL.encode(Digest.sha256($0.utf8)) })
      proofs.withLock { $0.append(recorded) }
    }
    let entry = LoggedRequest(
      server: server, method: request.method, host: request.headers["Host"] ?? "",
      path: request.path, status: 0)
    return requests.withLock { requests in
      requests.append(entry)
      return requests.count - 1
    }
  }

  /// Adds the status of the answer to a request.
  func answer(_ index: Int, status: Int) {
    requests.withLock { requests in
      // The log may have been cleared while the request was under way.
      if requests.indices.contains(index) { requests[index].status = status }
    }
  }
}
