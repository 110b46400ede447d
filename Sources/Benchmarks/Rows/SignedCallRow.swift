import ATSyntax
import ATXRPC
import Foundation
import Sandbox

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A call as the core makes it, with token and proof, against a bare request of Foundation's to the same
/// address.
///
/// The method answers everybody, so the server does the same for both.
enum SignedCallRow {
  private static let calls = 200

  static let row = Row(
    name: "signed-call", summary: "a signed call against a bare URLSession request"
  ) { bench in
    let network = try await SandboxNetwork.start()
    let session = try await SandboxSession.begin(network, bench)
    let method = NSID(constant: "com.atproto.server.describeServer")
    let url = session.pds.appending(path: "xrpc/\(method.rawValue)")
    let bare = URLSession(configuration: .ephemeral)
    let samples = try await Interleaving.measure(
      runs: bench.runs,
      [
        { try await each { _ = try await session.client.query(method) } },
        {
          try await each {
            let (_, response) = try await bare.data(from: url)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else {
              throw BenchError("\(url) was refused")
            }
          }
        },
      ])
    bare.invalidateAndCancel()
    session.end()
    await network.stop()
    func comparison(_ place: Int, _ what: String, _ bound: Bound?) -> Comparison {
      Comparison(
        row: "signed-call", what: what, unit: "ms", ours: samples[0][place],
        others: [
          .init(
            name: "a bare URLSession request", outcome: .measured(samples[1][place]), bound: bound)
        ], remark: "to \(method.rawValue) of the sandbox in this process, which asks for no token")
    }
    return [
      comparison(0, "one call, the next after its answer", .atMost(1.25)),
      comparison(1, "processor time of one call, client and server", nil),
    ]
  }

  /// Milliseconds, and milliseconds of processor time, of one call.
  private static func each(_ call: () async throws -> Void) async throws -> [Double] {
    let used = Stopwatch.processSeconds
    let time = try await Stopwatch.milliseconds {
      for _ in 0..<calls { try await call() }
    }
    return [time, (Stopwatch.processSeconds - used) * 1_000].map { $0 / Double(calls) }
  }
}
