import Foundation
import Sandbox
import SystemClients

/// What a sign-in costs that begins with nothing known, counted where the requests arrive.
enum SignInRow {
  static let row = Row(
    name: "sign-in", summary: "requests of a cold sign-in, from the handle to the stored account"
  ) { bench in
    // A count does not vary with the machine: two runs show that it does not vary at all.
    var counts: [Double] = []
    var times: [Double] = []
    for run in 0..<min(bench.runs, 2) {
      let (requests, milliseconds) = try await signIn(bench, run)
      counts.append(Double(requests.count))
      times.append(milliseconds)
    }
    let outside = await OutsideClient.signIn(bench)
    return [
      Comparison(
        row: "sign-in", what: "requests from the handle to the stored account", unit: "requests",
        ours: Samples(counts), bounds: [.atMost(8)], worstCounts: true,
        others: [
          .init(name: "atproto-oauth (PyPI)", outcome: outside.requests)
        ],
        remark: "from the sandbox's own log, one nonce refusal and the fresh DID document included"),
      Comparison(
        row: "sign-in", what: "from the handle to the stored account", unit: "ms",
        ours: Samples(times),
        others: [.init(name: "atproto-oauth (PyPI)", outcome: outside.time)],
        remark: "a program walks the pages for both; the peer speaks TLS, ours does not"),
    ]
  }

  /// What the core asked for, by method and path, and how long it all took.
  private static func signIn(
    _ bench: Bench, _ run: Int
  ) async throws -> (requests: [String], milliseconds: Double) {
    let network = try await SandboxNetwork.start()
    let core = try await SandboxedCore.start(
      bench, network, dataFolder: bench.path("sign-in-\(run)"))
    network.log.clear()
    let milliseconds = try await Stopwatch.milliseconds { try await core.signIn() }
    let entries = network.requests
    let asked = try own(entries, network.addresses, besides: await core.browserRequests())
    try await core.end()
    await network.stop()
    return (asked, milliseconds)
  }

  /// The core's own requests: without those of the browser, of the servers among themselves (the
  /// client's document), and what the core asks for the account once it is stored.
  private static func own(
    _ entries: [LoggedRequest], _ addresses: SandboxAddresses, besides browser: [String: Int]
  ) throws -> [String] {
    var browser = browser
    let document = URL(string: addresses.clientID)?.path()
    return entries.compactMap { entry in
      let name = "\(entry.method) \(entry.path)"
      if let left = browser[name], left > 0 {
        browser[name] = left - 1
        return nil
      }
      let isLookup = entry.path == "/xrpc/com.atproto.identity.resolveHandle"
      if entry.path == document || entry.path.hasPrefix("/xrpc/") && !isLookup { return nil }
      return name
    }
  }
}
