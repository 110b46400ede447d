import ATSyntax
import SystemClients
import Foundation
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import StrictJSON

/// Calls passed on to another service in the account's name (wire §10.4).
extension PersonalDataServer {
  /// Account management that no proxy may carry.
  private static let protectedMethods: Set<String> = [
    "com.atproto.admin.sendEmail", "com.atproto.identity.requestPlcOperationSignature",
    "com.atproto.identity.signPlcOperation", "com.atproto.identity.updateHandle",
  ]

  /// The headers that reach the service; everything else is dropped.
  private static let forwardedHeaders = [
    "accept-language", "atproto-accept-labelers", "x-bsky-topics", "content-type",
    "content-encoding",
  ]

  /// The service's headers that come back on success; on an error none does.
  private static let returnedHeaders = [
    "content-encoding", "content-type", "content-language", "atproto-repo-rev",
    "atproto-content-labelers", "retry-after",
  ]

  /// The header is resolved before the token is looked at, so its faults carry no nonce.
  func proxy(_ request: HTTPServerRequest, to method: NSID) async -> HTTPServerResponse {
    let service: ProxyTarget
    do {
      guard ["GET", "HEAD", "POST"].contains(request.method) else {
        throw XRPCRefusal.invalid("XRPC requests only supports GET and POST")
      }
      guard let header = request.headers["atproto-proxy"] else {
        throw XRPCRefusal.invalid("No service configured for \(method)")
      }
      guard !Self.protectedMethods.contains(method.rawValue) else {
        throw XRPCRefusal(400, "InvalidToken", "Bad token method")
      }
      service = try await target(of: header)
    } catch {
      return await Self.answering { throw error }
    }
    return await withAccess(to: request) { grant in
      try grant.requireRPC(method, aud: service.reference)
      let expiry = Int(clock.now().timeIntervalSince1970) + 60
      let token = try await serviceToken(
        for: grant.did, audience: service.did.rawValue, method: method.rawValue, expiry: expiry)
      return try await forward(request, to: service.endpoint, authorization: "Bearer \(token)")
    }
  }

  /// A read that needs nobody's name.
  func forwardAnonymously(
    _ request: HTTPServerRequest, to method: NSID
  ) async throws -> HTTPServerResponse {
    let service = try await target(of: request.headers["atproto-proxy"] ?? "")
    return try await forward(request, to: service.endpoint, authorization: nil)
  }

  /// A JWT by which a service knows who is calling, for one method and a minute.
  ///
  /// ES256 here, where the reference signs ES256K: both keys are declared in the DID document.
  func serviceToken(
    for did: DID, audience: String, method: String?, expiry: Int
  ) async throws -> String {
    guard let key = try await accounts.signingKey(of: did) else { throw XRPCRefusal.internalError }
    var claims: JSONObject = [
      "iat": .number(JSONNumber(Int(clock.now().timeIntervalSince1970))),
      "iss": .string(did.rawValue), "aud": .string(audience), "exp": .number(JSONNumber(expiry)),
    ]
    claims["lxm"] = method.map(JSONValue.string)
    claims["jti"] = .string(random.bytes(16).map { String(hexByte: $0) }.joined())
    return try CompactJWS.sign(header: ["typ": "JWT", "alg": "ES256"], claims: claims, key: key)
  }

  private struct ProxyTarget {
    let did: DID
    /// The whole header value, `did#service`.
    let reference: String
    let endpoint: URL
  }

  private func target(of header: String) async throws -> ProxyTarget {
    let hash = header.firstIndex(of: "#")
    guard hash != header.startIndex else {
      throw XRPCRefusal.invalid("no did specified in proxy header")
    }
    guard let hash, header.index(after: hash) != header.endIndex else {
      throw XRPCRefusal.invalid("no service id specified in proxy header")
    }
    let fragment = header[header.index(after: hash)...]
    guard !fragment.contains("#") else { throw XRPCRefusal.invalid("invalid proxy header format") }
    guard !header.contains(" ") else {
      throw XRPCRefusal.invalid("proxy header cannot contain spaces")
    }
    // A malformed DID is a 500 of the reference's resolver, like an unsupported method.
    guard let did = try? DID(String(header[..<hash])) else { throw XRPCRefusal.internalError }
    let document: SandboxDIDDocument
    do {
      document = try await services.document(of: did)
    } catch .notFound {
      throw XRPCRefusal.invalid("could not resolve proxy did")
    } catch {
      throw XRPCRefusal.internalError
    }
    guard let endpoint = document.endpoint(String(fragment)) else {
      throw XRPCRefusal.invalid("could not resolve proxy did service url")
    }
    return ProxyTarget(did: did, reference: header, endpoint: endpoint)
  }

  private func forward(
    _ request: HTTPServerRequest, to endpoint: URL, authorization: String?
  ) async throws -> HTTPServerResponse {
    guard let url = URL(string: endpoint.absoluteString + request.target) else {
      throw XRPCRefusal.internalError
    }
    var headers = HTTPHeaders()
    for name in Self.forwardedHeaders { headers[name] = request.headers[name] }
    headers["Authorization"] = authorization
    let upstream: HTTPResponse
    do {
      upstream = try await http.send(
        HTTPRequest(
          method: request.method, url: url, headers: headers,
          body: request.body.isEmpty ? .none : .bytes(request.body), deadline: .seconds(10),
          maximumBodyBytes: 10 << 20))
    } catch {
      throw XRPCRefusal(502, "UpstreamFailure", "Upstream service unreachable")
    }
    guard upstream.status < 400 else { throw Self.refusal(of: upstream) }
    var response = HTTPServerResponse(status: upstream.status, headers: [:], body: upstream.body)
    for name in Self.returnedHeaders { response.headers[name] = upstream.headers[name] }
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response
  }

  /// An upstream error keeps its status (a 500 becomes 502), `error` and `message`, nothing else.
  private static func refusal(of response: HTTPResponse) -> XRPCRefusal {
    // A body that is not JSON has neither member to keep.
    let body = try? JSONParser.parse(response.body)
    let generic = [
      400: "InvalidRequest", 401: "AuthenticationRequired", 403: "Forbidden",
      404: "XRPCNotSupported", 406: "NotAcceptable", 413: "PayloadTooLarge",
      415: "UnsupportedMediaType", 429: "RateLimitExceeded", 501: "MethodNotImplemented",
      502: "UpstreamFailure", 503: "NotEnoughResources", 504: "UpstreamTimeout",
    ]
    let status = response.status == 500 ? 502 : response.status
    return XRPCRefusal(
      status, body?["error"]?.stringValue ?? generic[status] ?? "InvalidRequest",
      body?["message"]?.stringValue)
  }
}

extension String {
  /// Two lower-case hexadecimal digits.
  init(hexByte byte: UInt8) {
    self = String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
  }
}
