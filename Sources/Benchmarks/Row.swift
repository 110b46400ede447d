/// Something that can be measured by name.
struct Row: Sendable {
  /// What is typed.
  let name: String
  /// What `--help` says.
  let summary: String
  /// Measures it.
  let measure: @Sendable (Bench) async throws -> [any Finding]

  /// Every row, in the order of measuring.
  static let all: [Row] = [
    StartRow.row, PingRow.row, PipelineRow.row, MemoryRow.row, PhotoChangeRow.row, ProofRow.row,
    SignedCallRow.row, SignInRow.row, PublishRow.row, AccountGrowth.row, PhotographGrowth.row,
    SubscriptionGrowth.row, ReaderGrowth.row, LineGrowth.row,
  ]
}
