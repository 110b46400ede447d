import Foundation
import Glibc

/// The proxy settings libcurl takes from the environment; it ignores those of the session.
enum ProxySettings {
  /// Whether requests may go through a proxy.
  static let isProxyConfigured =
    ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
    .contains { ProcessInfo.processInfo.environment[$0]?.isEmpty == false }

  /// Adds this machine to the hosts reached without a proxy, once, before the first request.
  static let exemptLoopback: Void = {
    let environment = ProcessInfo.processInfo.environment
    let present = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    setenv("no_proxy", exemptingLoopback(present), 1)
  }()

  static func exemptingLoopback(_ hosts: String) -> String {
    if hosts.trimmingCharacters(in: .whitespaces) == "*" { return hosts }
    let listed = hosts.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let loopback = ["localhost", "127.0.0.1", "127.0.0.0/8", "::1"]
    return (listed + loopback.filter { !listed.contains($0) }).joined(separator: ",")
  }
}
