import ATXRPC
import HTTPTransport
import Testing

@Suite("What a server asks for in WWW-Authenticate")
struct AuthenticationChallengeTests {
  @Test(
    "the DPoP challenge is found wherever it stands (FB-F1, FB-F7)",
    arguments: [
      (
        #"DPoP algs="RS256 ES256", error="use_dpop_nonce", error_description="a, b""#,
        "use_dpop_nonce"
      ),
      (#"Basic realm="x, DPoP error=y", DPoP error="invalid_token""#, "invalid_token"),
      (#"DPoP error="invalid_token", Basic realm="x", error="other""#, "invalid_token"),
      (#"Bearer error="invalid_token""#, nil), ("DPoP", nil), ("DPoP algs=ES256", nil), ("", nil),
      ("dpop error=use_dpop_nonce", "use_dpop_nonce"),
      (#"DPoP error = "use_dpop_nonce""#, "use_dpop_nonce"),
      (#"DPoP algs="ES256",error="use_dpop_nonce""#, "use_dpop_nonce"),
      (#"Negotiate, DPoP error="invalid_dpop_proof""#, "invalid_dpop_proof"),
      (#"DPoP realm="a\"b, error=\"no", error="yes""#, "yes"), (#"error="use_dpop_nonce""#, nil),
    ] as [(String, String?)])
  func found(field: String, error: String?) {
    #expect(AuthenticationChallenge.dpopError(in: ["WWW-Authenticate": field]) == error)
  }

  @Test("headers that come twice are read together")
  func twice() {
    let headers: HTTPHeaders = [
      "WWW-Authenticate": #"Basic realm="x""#,
      "www-authenticate": #"DPoP error="invalid_token""#,
    ]
    #expect(AuthenticationChallenge.dpopError(in: headers) == "invalid_token")
    #expect(AuthenticationChallenge.challenges(in: headers).map(\.scheme) == ["basic", "dpop"])
  }
}
