import HTTPTransport

/// What the servers around an account answer when all is well.
extension ScriptedHTTP.Answer {
  /// A plain text, such as the DID at a handle's well-known address.
  package static func text(_ body: String) -> ScriptedHTTP.Answer {
    .response(
      HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Array(body.utf8)))
  }

  /// An account's DID document.
  package static func didDocument(
    _ did: String, handle: String, pds: String
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"id":"\(did)","alsoKnownAs":["at://\(handle)"],"service":[{"id":"#atproto_pds",
      "type":"AtprotoPersonalDataServer","serviceEndpoint":"\(pds)"}]}
      """)
  }

  /// A home server's word on who signs its accounts in.
  package static func protectedResource(
    _ origin: String, server: String
  ) -> ScriptedHTTP.Answer {
    .json(#"{"resource":"\#(origin)","authorization_servers":["\#(server)"]}"#)
  }

  /// An authorization server's metadata; its endpoints lie below `/oauth`.
  package static func authorizationServer(
    _ issuer: String, extra: String
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/oauth/authorize",
      "token_endpoint":"\(issuer)/oauth/token",\(extra)
      "pushed_authorization_request_endpoint":"\(issuer)/oauth/par",
      "revocation_endpoint":"\(issuer)/oauth/revoke","scopes_supported":["atproto"],
      "require_pushed_authorization_requests":true,
      "authorization_response_iss_parameter_supported":true,
      "client_id_metadata_document_supported":true,"response_types_supported":["code"],
      "grant_types_supported":["authorization_code","refresh_token"],
      "code_challenge_methods_supported":["S256"],
      "token_endpoint_auth_methods_supported":["none"],
      "dpop_signing_alg_values_supported":["ES256"]}
      """)
  }
}
