import Foundation
import OAuth
import OpenSSLCrypto
import SystemClients

/// DPoP proofs on one core, against what OpenSSL's own program signs there.
enum ProofRow {
  static let row = Row(name: "dpop", summary: "DPoP proofs a second on one core") { bench in
    guard let url = URL(string: "https://pds.alice.test/xrpc/com.atproto.repo.uploadBlob") else {
      throw URLError(.badURL)
    }
    let prover = DPoPProver(key: .generate())
    let token = Secret(SystemRandom.live.bytes(900).map { 0x61 + $0 % 26 })
    var things: [() async throws -> [Double]] = [{ [try proofs(prover, url, token)] }]
    var missing: [Comparison.Other] = []
    let name = "openssl speed ecdsap256, signatures"
    if let openssl = ProgramRunner.live.find("openssl") {
      things.append { [try await signatures(openssl, bench)] }
    } else {
      missing.append(
        Comparison.Other(
          name: name, outcome: .missing("openssl, in PATH, is not there; apt-get install openssl")))
    }
    let samples = try await Interleaving.measure(runs: bench.runs, things).map { $0[0] }
    let others = samples.dropFirst().map { theirs in
      Comparison.Other(name: name, outcome: .measured(theirs), bound: .atLeast(0.7))
    }
    return [
      Comparison(
        row: "dpop", what: "DPoP proofs with nonce and access token", unit: "a second",
        ours: samples[0], others: others + missing, remark: "by processor time, both")
    ]
  }

  private static func proofs(_ prover: DPoPProver, _ url: URL, _ token: Secret) throws -> Double {
    let start = Stopwatch.threadSeconds
    let now = SystemClock.live.now()
    var count = 0
    var used = 0.0
    while used < 1 {
      for _ in 0..<100 {
        let proof = try prover.proof(
          method: "POST", url: url, accessToken: token, nonce: "ZGF0YS1ub25jZS1vZi1hLXNlcnZlcg",
          now: now, random: .live)
        count += proof.isEmpty ? 0 : 1
      }
      used = Stopwatch.threadSeconds - start
    }
    return Double(count) / used
  }

  private static func signatures(_ openssl: String, _ bench: Bench) async throws -> Double {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: openssl, arguments: ["speed", "-seconds", "1", "ecdsap256"],
        environment: bench.environment(), timeLimit: .seconds(30)))
    let output = String(decoding: result.output, as: UTF8.self)
    // ` 256 bits ecdsa (nistp256)   0.0000s   0.0001s  44000.0  14500.0`: seconds each, then a second.
    let line = output.split(separator: "\n").last { $0.contains("nistp256") }
    let fields = line?.split(separator: " ") ?? []
    guard fields.count > 2, let rate = Double(fields[fields.count - 2]) else {
      throw BenchError("openssl speed said nothing of nistp256")
    }
    return rate
  }
}
