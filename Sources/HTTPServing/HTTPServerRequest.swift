package import HTTPTransport

/// One request as the server received it.
package struct HTTPServerRequest: Sendable {
  /// The method as sent.
  package var method: String
  /// The request target in origin form: raw path, then `?` and the raw query if there is one.
  package var target: String
  /// The header fields.
  package var headers: HTTPHeaders
  /// The body, its chunks joined.
  package var body: [UInt8]
  /// Address and port of the other side, `127.0.0.1:4711`.
  package var peer: String

  /// A request.
  package init(
    method: String, target: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
    peer: String = "127.0.0.1:0"
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.peer = peer
  }

  /// The path as sent, escapes and all.
  package var path: String {
    String(target.prefix { $0 != "?" })
  }

  /// The query as sent; `nil` without one.
  package var rawQuery: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The query's pairs, decoded; none if it is malformed.
  package var query: [(String, String)] {
    rawQuery.flatMap(FormURLEncoding.decodeQuery) ?? []
  }

  /// The media type in lower case, without its parameters.
  package var contentType: String? {
    HTTPResponse(status: 0, headers: headers).contentType
  }
}
