import ATSyntax
import GrainLexicon
import OAuth
import StrictJSON
import SystemClients

extension GrainSource {
  /// Makes a Grain profile from the Bluesky one where the repository has none: the AppView follows only
  /// accounts that have one, and with sign-in at the home server nobody else makes it (G114).
  ///
  /// Nobody waits for it, and its failure is nobody's (FB-A26); the next sign-in tries again.
  func ensureProfile(_ did: DID) async {
    do throws(CallFault) {
      let client = try await client(did)
      let known = try await client.getRecord(ActorProfileRecord.collection, .literalSelf)
      guard known == nil else { return }
      let bluesky = try await client.getRecord(CollectionNames.blueskyProfile, .literalSelf)
      let profile = ActorProfileRecord(
        copying: ActorProfileRecord(json: bluesky?.value ?? [:]),
        createdAt: ATDateTime(environment.clock.now()))
      let write = RecordWrite(
        collection: ActorProfileRecord.collection, key: .literalSelf, value: profile.json)
      try await client.applyWrites([write])
      try await client.indexRecords([write.uri(in: did)])
    } catch {
      log.write(.warn, "accounts", "no Grain profile was made")
    }
  }
}

extension ActorProfileRecord {
  /// Name, description and picture of another profile, as far as Grain's lexicon takes them.
  fileprivate init(copying other: ActorProfileRecord, createdAt: ATDateTime) {
    self.init(
      displayName: other.displayName, description: other.description, avatar: other.avatar,
      createdAt: createdAt)
    for violation in violations {
      switch violation.member {
      case "displayName": displayName = nil
      case "description": description = nil
      default: avatar = nil
      }
    }
  }
}
