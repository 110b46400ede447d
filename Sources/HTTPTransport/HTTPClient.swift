/// The door to the network.
///
/// Never follows a redirect, keeps no cookies, no cache and no credentials.
package struct HTTPClient: Sendable {
  /// Sends a request and returns its response. The closure, if any, is told how many bytes of the
  /// body have gone out so far. Cancelling the task ends the request.
  package var send:
    @Sendable (HTTPRequest, (@Sendable (Int64) -> Void)?) async throws(HTTPError) -> HTTPResponse

  /// A client made of a closure.
  package init(
    send:
      @escaping @Sendable (HTTPRequest, (@Sendable (Int64) -> Void)?) async throws(HTTPError)
      -> HTTPResponse
  ) {
    self.send = send
  }

  /// Sends a request and returns its response.
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try await send(request, nil)
  }
}
