import ATSyntax
import HTTPTransport
import GrainLexicon
import HTTPServing
import StrictJSON

/// `com.atproto.repo.uploadBlob` (wire §11.6).
extension PersonalDataServer {
  func uploadBlob(
    _ grant: AccessGrant, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    guard let declared = request.headers["Content-Type"]?.mediaTypeWithoutParameters,
      !declared.isEmpty
    else { throw XRPCRefusal.invalid("Request encoding (Content-Type) required but not provided") }
    guard let account = await accounts.account(grant.did.rawValue) else {
      throw XRPCRefusal(403, "AccountNotFound", "Account not found")
    }
    // A deactivated account may upload: a migration needs it.
    if account.status != .deactivated { try Self.requireActive(account) }
    try grant.requireBlob(declared)
    guard !request.body.isEmpty else {
      throw XRPCRefusal.invalid("A request body is expected but none was provided")
    }
    guard request.body.count <= settings.blobUploadLimit else {
      throw XRPCRefusal(413, "PayloadTooLarge", "request entity too large")
    }
    let blob = BlobReference(
      cid: CID(rawSHA256: request.body),
      mimeType: MediaSniffer.mediaType(of: request.body) ?? declared, size: request.body.count)
    try await repositories.keep(blob, request.body, of: grant.did)
    return .xrpc(["blob": blob.json])
  }
}

/// What bytes are, by their first ones. The reference trusts this more than the declared type.
enum MediaSniffer {
  /// `nil` for what it does not know.
  static func mediaType(of bytes: [UInt8]) -> String? {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return "image/png" }
    if has("GIF87a") || has("GIF89a") { return "image/gif" }
    if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
    if bytes.starts(with: [0x49, 0x49, 0x2a, 0]) || bytes.starts(with: [0x4d, 0x4d, 0, 0x2a]) {
      return "image/tiff"
    }
    if bytes.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) { return "video/webm" }
    if has("%PDF-") { return "application/pdf" }
    guard has("ftyp", at: 4) else { return nil }
    let brand = String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self)
    return switch brand {
    case "avif", "avis": "image/avif"
    case "heic", "heix", "mif1", "msf1": "image/heic"
    case "qt  ": "video/quicktime"
    default: "video/mp4"
    }
  }
}
