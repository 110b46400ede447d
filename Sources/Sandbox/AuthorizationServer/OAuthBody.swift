import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON

/// The fields of a request to an OAuth endpoint, sent as a form or as JSON.
///
/// A repeated form field keeps its last value (atproto-wire §5.1).
struct OAuthBody: Sendable {
  private let fields: JSONObject

  /// - Throws: 415 for a type, charset or encoding the server does not take, 400 for a body that
  ///   is not what its type says.
  init(_ request: HTTPServerRequest) throws(OAuthRefusal) {
    let header = request.headers["Content-Type"] ?? "application/octet-stream"
    let parts = header.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    let type = parts.first?.lowercased() ?? ""
    let isForm = type == "application/x-www-form-urlencoded"
    guard isForm || type == "application/json" else {
      throw .unsupportedMedia("Unsupported content-type: \(type)")
    }
    for parameter in parts.dropFirst().map({ $0.lowercased() })
    where parameter.hasPrefix("charset=") {
      let charset = parameter.dropFirst("charset=".count).replacing("\"", with: "")
      guard charset == "utf-8" else {
        throw .unsupportedMedia("Unsupported charset: \(charset)")
      }
    }
    let encoding = request.headers["Content-Encoding"]?.lowercased() ?? "identity"
    guard encoding == "identity" else {
      throw .unsupportedMedia("Unsupported content-encoding: \(encoding)")
    }
    fields = isForm ? try Self.form(request.body) : try Self.json(request.body)
  }

  private static func form(_ bytes: [UInt8]) throws(OAuthRefusal) -> JSONObject {
    guard let pairs = FormURLEncoding.decode(bytes) else {
      throw .invalidRequest("Invalid URL-encoded body")
    }
    var fields = JSONObject()
    for (name, value) in pairs { fields[name] = .string(value) }
    return fields
  }

  private static func json(_ bytes: [UInt8]) throws(OAuthRefusal) -> JSONObject {
    let value: JSONValue
    do { value = try JSONParser.parse(bytes) } catch { throw .invalidRequest("Invalid JSON") }
    guard let object = value.objectValue else {
      throw .invalidRequest("Expected object, received another type at body")
    }
    return object
  }

  /// The field as sent; `nil` when it is absent.
  func text(_ name: String) throws(FieldComplaint) -> String? {
    guard let value = fields[name] else { return nil }
    guard let text = value.stringValue else {
      throw FieldComplaint("Expected string", field: name)
    }
    return text
  }

  /// The field as sent; absent and empty are complaints.
  func required(_ name: String) throws(FieldComplaint) -> String {
    guard let text = try text(name) else { throw FieldComplaint("Required", field: name) }
    guard !text.isEmpty else {
      throw FieldComplaint("String must contain at least 1 character(s)", field: name)
    }
    return text
  }

  /// The client the request says it comes from; the caller knows under which name to complain.
  func clientID(
    or refusal: (String) -> OAuthRefusal
  ) throws(OAuthRefusal) -> String {
    do throws(FieldComplaint) {
      return try required("client_id")
    } catch {
      throw refusal("Invalid client credentials: \(error.words)")
    }
  }
}

/// What is wrong with one field of a body.
struct FieldComplaint: Error, Equatable {
  let words: String

  init(_ complaint: String, field: String) {
    words = "\(complaint) at body.\(field)"
  }
}

/// Whether a request's `Accept` leaves room for JSON.
enum AcceptHeader {
  static func takesJSON(_ header: String?) -> Bool {
    guard let header, !header.isEmpty else { return true }
    return header.lowercased().split(separator: ",").contains { range in
      let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let takes = ["*/*", "application/*", "application/json"].contains(parts.first ?? "")
      let isRefused = parts.dropFirst().contains {
        $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0
      }
      return takes && !isRefused
    }
  }
}
