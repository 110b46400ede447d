import StrictJSON

/// The authorization server's document, members in the reference server's order.
///
/// It differs where this server does less: ES256 is the only algorithm (a client takes an advertised
/// one at its word; atproto-wire §16.3), and request objects are not taken.
/// - SeeAlso: RFC 8414, atproto-wire §3.2
enum ServerMetadata {
  /// The document; without protected resources their member is left out, as at an entryway.
  static func document(issuer: String, protectedResources: [String]) -> JSONObject {
    var document: JSONObject = [
      "issuer": .string(issuer),
      "request_parameter_supported": false,
      "request_uri_parameter_supported": true,
      "require_request_uri_registration": true,
      "scopes_supported": [
        "atproto", "transition:email", "transition:generic", "transition:chat.bsky",
      ],
      "subject_types_supported": ["public"],
      "response_types_supported": ["code"],
      "response_modes_supported": ["query", "fragment", "form_post"],
      "grant_types_supported": ["authorization_code", "refresh_token"],
      "code_challenge_methods_supported": ["S256"],
      "ui_locales_supported": ["en-US"],
      "display_values_supported": ["page", "popup", "touch"],
      "authorization_response_iss_parameter_supported": true,
      "request_object_encryption_alg_values_supported": [],
      "request_object_encryption_enc_values_supported": [],
      "jwks_uri": .string("\(issuer)/oauth/jwks"),
      "authorization_endpoint": .string("\(issuer)/oauth/authorize"),
      "token_endpoint": .string("\(issuer)/oauth/token"),
      "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
      "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
      "revocation_endpoint": .string("\(issuer)/oauth/revoke"),
      "pushed_authorization_request_endpoint": .string("\(issuer)/oauth/par"),
      "require_pushed_authorization_requests": true,
      "dpop_signing_alg_values_supported": ["ES256"],
    ]
    if !protectedResources.isEmpty {
      document["protected_resources"] = .array(protectedResources.map { .string($0) })
    }
    document["client_id_metadata_document_supported"] = true
    document["prompt_values_supported"] = [
      "none", "login", "consent", "select_account", "create",
    ]
    return document
  }
}
