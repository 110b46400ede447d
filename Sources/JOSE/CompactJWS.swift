package import OpenSSLCrypto
package import StrictJSON

/// A signed text of three base64url parts (RFC 7515 §7.1). Only ES256 is ever accepted or made.
package struct CompactJWS: Sendable {
  /// The protected header, not to be believed before ``isSigned(by:)`` said so.
  package let header: JSONObject
  /// The signed bytes, likewise.
  package let payload: [UInt8]
  /// What the third part says: for ES256 r‖s, 64 bytes.
  package let signature: [UInt8]
  private let signingInput: [UInt8]

  /// Takes a text apart. Nothing is verified.
  ///
  /// - Throws: `JOSEError.malformed` for anything but three strict base64url parts of which the
  ///   first is a JSON object without duplicate members.
  package init(parsing text: String) throws(JOSEError) {
    let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
      let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    do {
      guard case .object(let header) = try JSONParser.parse(headerBytes) else {
        throw JOSEError.malformed
      }
      self.header = header
    } catch {
      throw .malformed
    }
    self.payload = payload
    self.signature = signature
    signingInput = Array("\(parts[0]).\(parts[1])".utf8)
  }

  /// Whether this key signed header and payload.
  ///
  /// False as well where `alg` is not `ES256` (so neither `none` nor a symmetric algorithm can be
  /// smuggled in) and where `crit` names an extension, for we know none (RFC 7515 §4.1.11).
  package func isSigned(by key: P256PublicKey) -> Bool {
    header["alg"]?.stringValue == "ES256" && header["crit"] == nil
      && key.isValidSignature(signature, for: signingInput)
  }

  /// Signs a payload.
  ///
  /// - Parameters:
  ///   - header: written as it stands; its `alg` must be `ES256`.
  ///   - payload: any bytes, mostly JSON.
  ///   - key: the signing key.
  /// - Returns: the three parts.
  /// - Throws: `JOSEError.unsupported` for another `alg` or a `crit`; `JOSEError.invalidKey` if
  ///   libcrypto refuses the key.
  package static func sign(
    header: JSONObject, payload: [UInt8], key: P256PrivateKey
  ) throws(JOSEError) -> String {
    guard header["alg"]?.stringValue == "ES256", header["crit"] == nil else { throw .unsupported }
    let dot = UInt8(ascii: ".")
    var text = Base64URL.characters(of: JSONValue.object(header).serialized())
    text.append(dot)
    text += Base64URL.characters(of: payload)
    do {
      let signature = try key.signature(for: text)
      text.append(dot)
      text += Base64URL.characters(of: signature)
      return String(decoding: text, as: UTF8.self)
    } catch {
      throw .invalidKey
    }
  }
}
