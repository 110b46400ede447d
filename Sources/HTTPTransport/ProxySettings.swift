import Foundation

/// A proxy that tunnels to secure servers (`CONNECT`).
struct Proxy: Hashable, Sendable {
  var host: String
  var port: Int
  /// The `Proxy-Authorization` field.
  var authorization: String?
}

/// The proxy settings of the environment: `https_proxy`, `all_proxy` and `no_proxy`, in small or in
/// capital letters.
///
/// Plain HTTP goes to this machine only and never through a proxy.
struct ProxySettings: Sendable {
  private let proxy: Proxy?
  private let exempt: [String]

  /// No proxy.
  static let none = ProxySettings(environment: [:])

  init(environment: [String: String]) {
    func value(_ name: String) -> String? {
      [environment[name], environment[name.uppercased()]].compactMap(\.self)
        .first { !$0.isEmpty }
    }
    proxy = (value("https_proxy") ?? value("all_proxy")).flatMap(Self.parse)
    exempt = (value("no_proxy") ?? "").lowercased().split(whereSeparator: { ", ".contains($0) })
      .map { $0.hasPrefix("*.") ? String($0.dropFirst(2)) : String($0.drop { $0 == "." }) }
  }

  /// The proxy for a secure host, `nil` if it is reached directly.
  func proxy(for host: String) -> Proxy? {
    guard let proxy, !exempt.contains("*"), host != "localhost",
      IPAddress(host)?.isLoopback != true
    else { return nil }
    return exempt.contains { host == $0 || host.hasSuffix(".\($0)") } ? nil : proxy
  }

  private static func parse(_ text: String) -> Proxy? {
    guard let url = URL(string: text.contains("://") ? text : "http://\(text)"),
      url.scheme?.lowercased() == "http", let origin = url.origin
    else { return nil }  // SOCKS and proxies behind TLS are not spoken here.
    var authorization: String?
    if let user = url.user(percentEncoded: false) {
      let pair = "\(user):\(url.password(percentEncoded: false) ?? "")"
      authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
    }
    return Proxy(host: origin.host, port: origin.port, authorization: authorization)
  }
}
