import ATOAuth
import ATSyntax
import ATXRPC
import GrainLexicon
import StrictJSON
import SystemClients

/// Deletes what an account has on Grain: at the AppView, which is asked first, and in the account's own
/// repository, where only the account itself can (G115).
///
/// Running it again is harmless and goes on where an earlier run ended. Bluesky posts stay: the app may
/// create them and nothing else (G24).
struct AccountEraser: Sendable {
  /// What a run has come to.
  enum Outcome: Equatable, Sendable {
    /// Nothing of the account's is left.
    case erased
    /// Nothing was deleted.
    case untouched(CallFault)
    /// Something may be.
    case unfinished(CallFault)
  }

  /// What hangs off something else goes before it, and the profile last: the AppView follows the
  /// account for as long as it has one.
  static let collections = [
    CollectionNames.galleryItem, CollectionNames.photoEXIF, CollectionNames.photo,
    CollectionNames.story, CollectionNames.comment, CollectionNames.favorite,
    CollectionNames.follow, CollectionNames.block, CollectionNames.gallery,
    CollectionNames.actorProfile,
  ]

  /// Records in one commit; one page of a listing.
  private static let batch = 100
  /// How often the repository is gone through before what comes back counts as somebody else's.
  private static let rounds = 3

  let caller: AccountCaller
  let backoff: Backoff
  let log: Log

  /// What the account's grant must allow, all of it, before anything is deleted.
  private var needs: [ScopeNeed] {
    let methods = [MethodNames.deleteAccount, MethodNames.indexRecords]
    return Self.collections.map { ScopeNeed.record($0, .delete) }
      + (caller.configuration.appView.map { appView in
        methods.map { ScopeNeed.call($0, of: appView) }
      } ?? [])
  }

  /// Deletes everything, as far as it can; returns when nobody is asked any more.
  func erase() async -> Outcome {
    do throws(CallFault) {
      try await caller.require(needs)
    } catch {
      return .untouched(error)
    }
    do throws(CallFault) {
      switch await ask() {
      case .refused(let fault): return .untouched(fault)
      case .unanswered(let fault):
        // Nobody knows whether the request arrived; what the repository has left tells.
        guard try await isEmpty() else { return .unfinished(fault) }
      case .taken, .unable: try await sweepAll()
      }
      return .erased
    } catch {
      return .unfinished(error)
    }
  }

  // MARK: The AppView

  private enum Answer {
    case taken
    /// It is there and cannot do it (G115).
    case unable
    /// It did nothing.
    case refused(CallFault)
    case unanswered(CallFault)
  }

  private func ask() async -> Answer {
    var attempt = 1
    var mayHaveLanded = false
    while true {
      do throws(XRPCError) {
        _ = try await caller.attempt(isRepeatable: true) { client async throws(XRPCError) in
          try await client.procedure(MethodNames.deleteAccount)
        }
        return .taken
      } catch {
        mayHaveLanded = mayHaveLanded || error.mayHaveLanded
        let fault = await caller.fault(error)
        if Backoff.isWorthRepeating(fault), attempt < Backoff.attempts {
          do throws(CallFault) {
            try await backoff.wait(after: attempt, for: fault)
            attempt += 1
            continue
          } catch {
            return mayHaveLanded ? .unanswered(error) : .refused(error)
          }
        }
        if error.isInability { return .unable }
        return mayHaveLanded ? .unanswered(fault) : .refused(fault)
      }
    }
  }

  // MARK: The repository

  private func isEmpty() async throws(CallFault) -> Bool {
    for collection in Self.collections where try await !page(of: collection).isEmpty {
      return false
    }
    return true
  }

  /// Deletes until a whole round finds nothing: what is believed gone has been looked for.
  private func sweepAll() async throws(CallFault) {
    for _ in 0..<Self.rounds where try await sweep() == 0 { return }
    throw .remote(
      .badResponse(host: await caller.host, detail: "deleted records are there again"))
  }

  /// Goes through the repository once.
  ///
  /// - Returns: how many records were there.
  private func sweep() async throws(CallFault) -> Int {
    var count = 0
    for collection in Self.collections {
      var attempt = 1
      var last: [ATURI] = []
      while true {
        do throws(CallFault) {
          let page = try await page(of: collection)
          if page.isEmpty { break }
          guard page != last else {
            throw .remote(
              .badResponse(host: await caller.host, detail: "deleted records are still there"))
          }
          try await delete(page)
          last = page
          count += page.count
          attempt = 1
          await index(page)
        } catch {
          // A commit whose answer was lost has landed or not: the next page tells (G108).
          guard Backoff.isWorthRepeating(error), attempt < Backoff.attempts else { throw error }
          try await backoff.wait(after: attempt, for: error)
          attempt += 1
        }
      }
    }
    return count
  }

  private func page(of collection: NSID) async throws(CallFault) -> [ATURI] {
    let did = caller.session.did
    let answer = try await caller.perform { client async throws(XRPCError) in
      try await client.query(
        MethodNames.listRecords,
        [
          "repo": .string(did.rawValue), "collection": .string(collection.rawValue),
          "limit": .integer(Self.batch),
        ])
    }
    guard let records = answer["records"]?.arrayValue else {
      throw .remote(.badResponse(host: await caller.host, detail: "records"))
    }
    var found: [ATURI] = []
    for record in records {
      do throws(SyntaxError) {
        let uri = try ATURI(record["uri"]?.stringValue ?? "")
        // Only of this repository and this collection, whatever a server says.
        if let key = uri.recordKey, uri == ATURI(did, collection, key) { found.append(uri) }
      } catch {
        throw .remote(.badResponse(host: await caller.host, detail: "records"))
      }
    }
    return found
  }

  private func delete(_ uris: [ATURI]) async throws(CallFault) {
    let writes = uris.map { uri -> JSONValue in
      [
        "$type": "com.atproto.repo.applyWrites#delete",
        "collection": .string(uri.collection?.rawValue ?? ""),
        "rkey": .string(uri.recordKey?.rawValue ?? ""),
      ]
    }
    let body: JSONValue = [
      "repo": .string(caller.session.did.rawValue), "writes": .array(writes),
    ]
    _ = try await caller.perform(isRepeatable: false) { client async throws(XRPCError) in
      try await client.procedure(MethodNames.applyWrites, body)
    }
  }

  /// Tells the AppView what is gone; that it is gone does not depend on it (G47, G50).
  private func index(_ uris: [ATURI]) async {
    for start in stride(from: 0, to: uris.count, by: MethodNames.indexBatch) {
      let some = uris[start..<min(start + MethodNames.indexBatch, uris.count)]
      let body: JSONValue = ["uris": .array(some.map { .string($0.rawValue) })]
      do throws(CallFault) {
        _ = try await caller.perform { client async throws(XRPCError) in
          try await client.procedure(MethodNames.indexRecords, body)
        }
      } catch {
        log.write(.warn, "accounts", "deleted records could not be indexed")
      }
    }
  }
}

extension XRPCError {
  /// The service was reached and says that it cannot do this, now or ever; not that it will not.
  fileprivate var isInability: Bool {
    switch self {
    case .transient(let detail, _), .http(let detail): [500, 501, 502].contains(detail.status)
    case .decoding: true
    default: false
    }
  }
}
