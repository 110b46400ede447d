import ATSyntax
import GrainLexicon

/// What a run asks before it writes; whoever stops does not wait for the answers.
extension PublishRun {
  /// Asks the PDS for a record. Whoever stops waits for the answer only where this run has sent the record.
  func record(
    _ collection: NSID, _ key: RecordKey, isSent: Bool
  ) async throws(CallFault) -> RepositoryRecord? {
    let client = client
    if isSent { return try await client.getRecord(collection, key) }
    return try await stop.stoppable { () async throws(CallFault) in
      try await client.getRecord(collection, key)
    }
  }

  /// Looks up the handles that the texts mention, unless that was done.
  func findMentions() async {
    guard draft.sending?.mentions == nil else { return }
    var handles = TextMark.mentions(in: draft.description)
    if draft.crossPost {
      handles += TextMark.mentions(in: draft.title).filter { !handles.contains($0) }
    }
    let (resolver, wanted) = (mentions, handles)
    let found =
      wanted.isEmpty ? [:] : await stop.stoppable { await resolver.resolve(wanted) }
    // Cut off, it has not been done.
    if stop.isRaised { return }
    let known = Dictionary(
      found.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first })
    await saveIfPossible { $0.sending?.mentions = known }
  }
}
