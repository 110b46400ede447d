import ATSyntax
import HTTPServing
import HTTPTransport
import StrictJSON

extension PersonalDataServer {
  /// A method this server implements itself; everything else is proxied.
  struct LocalMethod: Sendable {
    /// Queries are `GET`, procedures `POST`.
    let isQuery: Bool
    let run: @Sendable (PersonalDataServer, HTTPServerRequest, NSID) async -> HTTPServerResponse

    /// Open to everybody.
    static func open(
      query run:
        @escaping @Sendable (PersonalDataServer, XRPCParameters, HTTPServerRequest)
        async throws -> HTTPServerResponse
    ) -> LocalMethod {
      LocalMethod(isQuery: true) { server, request, nsid in
        await answering {
          try XRPCInput.expectNone(request)
          return try await run(server, XRPCParameters(nsid, of: request), request)
        }
      }
    }

    /// For the owner of a valid token, whatever else it permits.
    static func authorized(
      isQuery: Bool,
      _ run:
        @escaping @Sendable (PersonalDataServer, AccessGrant, HTTPServerRequest)
        async throws -> HTTPServerResponse
    ) -> LocalMethod {
      LocalMethod(isQuery: isQuery) { server, request, _ in
        await server.withAccess(to: request) { grant in
          if isQuery { try XRPCInput.expectNone(request) }
          return try await run(server, grant, request)
        }
      }
    }
  }

  static let localMethods: [String: LocalMethod] = [
    "com.atproto.server.describeServer": .open { server, _, _ in server.describeServer() },
    "com.atproto.server.getSession": .authorized(isQuery: true) { server, grant, _ in
      try await server.getSession(grant)
    },
    "com.atproto.server.getServiceAuth": .authorized(isQuery: true) { server, grant, request in
      try await server.getServiceAuth(grant, request)
    },
    "com.atproto.identity.resolveHandle": .open { server, parameters, _ in
      try await server.resolveHandle(parameters)
    },
    "com.atproto.repo.getRecord": .open { server, parameters, request in
      try await server.getRecord(parameters, request)
    },
    "com.atproto.repo.listRecords": .open { server, parameters, _ in
      try await server.listRecords(parameters)
    },
    "com.atproto.repo.createRecord": .authorized(isQuery: false) { server, grant, request in
      try await server.createRecord(grant, request)
    },
    "com.atproto.repo.putRecord": .authorized(isQuery: false) { server, grant, request in
      try await server.putRecord(grant, request)
    },
    "com.atproto.repo.deleteRecord": .authorized(isQuery: false) { server, grant, request in
      try await server.deleteRecord(grant, request)
    },
    "com.atproto.repo.applyWrites": .authorized(isQuery: false) { server, grant, request in
      try await server.applyWrites(grant, request)
    },
    "com.atproto.repo.uploadBlob": .authorized(isQuery: false) { server, grant, request in
      try await server.uploadBlob(grant, request)
    },
    "com.atproto.sync.getBlob": .open { server, parameters, _ in
      try await server.getBlob(parameters)
    },
    "com.atproto.sync.getLatestCommit": .open { server, parameters, _ in
      try await server.getLatestCommit(parameters)
    },
    "com.atproto.sync.getRepoStatus": .open { server, parameters, _ in
      try await server.getRepoStatus(parameters)
    },
  ]

  /// Methods no OAuth token may call (wire §10.2).
  private static let closedToOAuth: Set<String> = [
    "com.atproto.server.activateAccount", "com.atproto.server.deactivateAccount",
    "com.atproto.server.createAppPassword", "com.atproto.server.listAppPasswords",
    "com.atproto.server.revokeAppPassword", "com.atproto.server.requestEmailUpdate",
    "com.atproto.server.updateEmail", "com.atproto.server.requestAccountDelete",
    "com.atproto.server.createInviteCode", "com.atproto.server.createInviteCodes",
    "com.atproto.server.getAccountInviteCodes", "com.atproto.temp.checkSignupQueue",
  ]

  func xrpc(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    if request.method == "OPTIONS" { return .preflight }
    let name = String(request.path.dropFirst("/xrpc/".count))
    if name == "_health" { return .xrpc(["version": "sandbox"]) }
    // Whatever breaks the grammar, the answer is the same.
    guard let nsid = try? NSID(name) else {
      return XRPCRefusal.invalid("invalid xrpc path").response
    }
    if let method = PersonalDataServer.localMethods[name] {
      let expected = method.isQuery ? "GET" : "POST"
      guard request.method == expected || (method.isQuery && request.method == "HEAD") else {
        return XRPCRefusal.invalid(
          "Incorrect HTTP method (\(request.method)) expected \(expected)"
        ).response
      }
      return await method.run(self, request, nsid)
    }
    if PersonalDataServer.closedToOAuth.contains(name) {
      return await withAccess(to: request) { _ in
        throw XRPCRefusal(
          403, "Forbidden", "OAuth credentials are not supported for this endpoint")
      }
    }
    if ["com.atproto.admin.", "com.atproto.repo.", "com.atproto.server.", "com.atproto.sync."]
      .contains(where: name.hasPrefix)
    {
      return XRPCRefusal(501, "MethodNotImplemented", "Method Not Implemented").response
    }
    return await proxy(request, to: nsid)
  }

  /// Runs `body` for the owner of the request's token, and marks the answer as theirs alone.
  func withAccess(
    to request: HTTPServerRequest,
    _ body: (AccessGrant) async throws -> HTTPServerResponse
  ) async -> HTTPServerResponse {
    switch await verifier.verifyAccess(request, publicURL: settings.url) {
    case .refused(let response): return response
    case .granted(let grant):
      var response = await PersonalDataServer.answering { try await body(grant) }
      response.headers["DPoP-Nonce"] = grant.dpopNonce
      response.headers["Cache-Control"] = "private"
      response.headers["Vary"] = "Authorization"
      response.headers["Access-Control-Expose-Headers"] = "DPoP-Nonce, WWW-Authenticate"
      return response
    }
  }

  /// Turns what `body` throws into the answer it stands for.
  static func answering(
    _ body: () async throws -> HTTPServerResponse
  ) async -> HTTPServerResponse {
    do {
      return try await body()
    } catch let refusal as XRPCRefusal {
      return refusal.response
    } catch {
      return XRPCRefusal.internalError.response
    }
  }
}

extension HTTPServerResponse {
  /// The answer to a browser asking whether it may ask.
  static var preflight: HTTPServerResponse {
    var response = HTTPServerResponse.empty(status: 204)
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Allow-Methods"] = "GET,HEAD,PUT,PATCH,POST,DELETE"
    response.headers["Access-Control-Allow-Headers"] =
      "authorization,content-type,dpop,atproto-proxy"
    response.headers["Access-Control-Max-Age"] = "86400"
    return response
  }
}
