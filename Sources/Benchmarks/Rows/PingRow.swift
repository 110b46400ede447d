/// Requests and answers one after the other, ours and the peer's in turn.
enum PingRow {
  private static let count = 2_000

  static let row = Row(name: "ping", summary: "sequential ping round trips a second") { bench in
    let core = try CoreTalk(bench, dataFolder: try await StoredAccounts.folder(10, bench))
    try core.initialize()
    try await core.facts.waitForRest()
    let findings = try await PeerRates.compare(
      bench, row: "ping", what: "sequential round trips", core: core, ourMethod: "ping",
      bound: .atLeast(1)
    ) { talk, request in
      for number in 1...count {
        try talk.send(request(number))
        _ = try talk.line()
      }
      return count
    }
    try core.lines.finish()
    return findings
  }
}
