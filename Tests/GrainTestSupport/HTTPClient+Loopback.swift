package import HTTPTransport
package import SystemClients

extension HTTPClient {
  /// The real client, for servers of tests on this machine.
  package static func loopback(clock: SystemClock = .live) -> HTTPClient {
    .live(NetworkPolicy(allowInsecureLoopback: true), userAgent: "grain-tests/1", clock: clock)
  }
}
