/// The marker inside every secret the sandbox mints: codes, tokens, nonces, session cookies.
///
/// A leak scan looks for this one byte sequence in everything a client writes (bridge-protocol §10).
package enum Canary {
  /// Letters of the base64url alphabet only, so that it fits into any of the secrets.
  package static let marker = "GRAINCANARY"
}
