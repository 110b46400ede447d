import SystemClients

/// One request ready for the wire.
struct ClientJob: Sendable {
  /// What connections are shared by: requests with the same key may follow each other on one.
  struct Key: Hashable, Sendable {
    /// Where the request goes, as the messages name it.
    var host: String
    var port: Int
    /// The name the server must prove by its certificate; `nil` for plain HTTP.
    var secureName: String?
    /// The proxy that makes the tunnel.
    var proxy: Proxy?
  }

  let id: Int
  let key: Key
  /// Where to connect: addresses of the host, or of the proxy.
  let addresses: [IPAddress]
  let method: String
  /// Whether it carries a proof that is good for one request (RFC 9449 §4.2).
  let isSigned: Bool
  let head: [UInt8]
  let body: BodySource?
  let bodyLimit: Int
  let exchange: Exchange
  /// Stamps the response.
  let clock: SystemClock
  /// Only a fresh connection will do: one that was kept has just failed.
  var needsFreshConnection = false

  /// Whether doing twice what it asks for is no more than doing it once (RFC 9110 §9.2.2).
  var isSafe: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }

  /// Whether these very bytes may be sent twice: what is signed for one request is for its maker to
  /// sign again.
  var isRepeatable: Bool { isSafe && !isSigned }
}
