import ATSyntax
import Foundation
import HTTPServing
import HTTPTransport
import SystemClients

/// The bound servers of a network: each on a port of its own, or all on one and told apart by name.
struct SandboxListeners {
  let servers: [SandboxConfiguration.ServerName: SandboxServer]
  /// Set when the servers speak https.
  let secure: SecureAddresses?
  /// What the servers and accounts are called.
  let names: SandboxNames
  private let listeners: [HTTPServer]

  func stop() async {
    for listener in listeners { await listener.stop() }
  }

  /// Binds everything a configuration asks for; `front` makes what stands between the socket and a
  /// server's own code. Fails as `SandboxNetwork.start` does.
  static func bind(
    _ configuration: SandboxConfiguration, _ store: SandboxStore,
    front: (SandboxConfiguration.ServerName) -> SandboxServer.Front
  ) async throws -> SandboxListeners {
    guard let secure = configuration.secure else {
      return try await plain(configuration, store, front)
    }
    return try await encrypted(secure, configuration, store, front)
  }

  private static func plain(
    _ configuration: SandboxConfiguration, _ store: SandboxStore,
    _ makeFront: (SandboxConfiguration.ServerName) -> SandboxServer.Front
  ) async throws -> SandboxListeners {
    var servers: [SandboxConfiguration.ServerName: SandboxServer] = [:]
    var listeners: [HTTPServer] = []
    for name in SandboxConfiguration.ServerName.allCases {
      let front = makeFront(name)
      let listener = try await listen(
        as: name.rawValue, at: configuration.ports[name], configuration, store
      ) { port throws(HTTPServerError) in
        try await HTTPServer.start(port: port) { await front.answer($0) }
      }
      guard let url = URL(string: "http://127.0.0.1:\(listener.port)") else {
        throw HTTPError.invalidURL
      }
      servers[name] = SandboxServer(name: name.rawValue, url: url, front: front)
      listeners.append(listener)
    }
    return SandboxListeners(
      servers: servers, secure: nil, names: SandboxNames(domain: "test"), listeners: listeners)
  }

  /// Starts a server at a given port, at that of last time, or else at one where it can be next time too: not
  /// in the range from which the system serves whoever wants any port (ip(7)), or somebody else might have it
  /// by then.
  private static func listen(
    as name: String, at fixed: Int?, _ configuration: SandboxConfiguration, _ store: SandboxStore,
    start: (Int) async throws(HTTPServerError) -> HTTPServer
  ) async throws -> HTTPServer {
    let known = if let fixed { fixed } else { try await store.port(of: name) }
    var listener: HTTPServer?
    if fixed == nil, known == 0, configuration.databasePath != ":memory:" {
      for _ in 0..<20 where listener == nil {
        listener = try? await start(.random(in: 10_240..<32_768))  // taken already: another one
      }
    }
    let server = if let listener { listener } else { try await start(known) }
    try await store.remember(port: server.port, of: name)
    return server
  }

  private static func encrypted(
    _ settings: SecureSettings, _ configuration: SandboxConfiguration, _ store: SandboxStore,
    _ makeFront: (SandboxConfiguration.ServerName) -> SandboxServer.Front
  ) async throws -> SandboxListeners {
    let names = SandboxNames(domain: settings.domain.lowercased())
    do throws(SyntaxError) {
      _ = try Handle(names.host(of: .pds))
    } catch {
      throw SandboxStartError.invalidDomain(settings.domain)
    }
    let authority = try await SandboxAuthority.load(
      for: [names.domain, settings.address], from: store, now: SystemClock.live.now())
    try SandboxAuthority.publish(authority, at: settings.authorityFile)

    let all = SandboxConfiguration.ServerName.allCases
    let fronts = Dictionary(uniqueKeysWithValues: all.map { ($0, makeFront($0)) })
    let identity = try ServerIdentity(
      authority, names: ["*.\(names.domain)", settings.address])
    let listener = try await listen(
      as: "https", at: settings.port == 0 ? nil : settings.port, configuration, store
    ) { port throws(HTTPServerError) in
      try await HTTPServer.start(host: settings.address, port: port, tls: identity) { request in
        let host = (request.headers["Host"] ?? "").lowercased().prefix { $0 != ":" }
        // Who reached us by the address alone has to say whom they want.
        guard let name = names.server(for: String(host)), let front = fronts[name] else {
          return .text("There is no \(host) here.\n", status: 421)
        }
        return await front.answer(request)
      }
    }
    var servers: [SandboxConfiguration.ServerName: SandboxServer] = [:]
    for name in all {
      let suffix = listener.port == 443 ? "" : ":\(listener.port)"
      guard let front = fronts[name],
        let url = URL(string: "https://\(names.host(of: name))\(suffix)")
      else { throw HTTPError.invalidURL }
      servers[name] = SandboxServer(name: name.rawValue, url: url, front: front)
    }
    return SandboxListeners(
      servers: servers,
      secure: SecureAddresses(
        address: settings.address, port: listener.port, authorityFile: settings.authorityFile,
        names: all.map(names.host) + configuration.accounts.map { names.handle($0.handle) }),
      names: names, listeners: [listener])
  }
}
