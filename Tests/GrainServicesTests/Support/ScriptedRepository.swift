import ATSyntax
import GrainLexicon
import GrainServices
import GrainTestSupport
import StrictJSON
import SystemClients

/// One account's repository as publishing sees it: it answers from a script, works where the script
/// is silent, and notes what it was asked.
final class ScriptedRepository: Sendable {
  /// What it was asked.
  enum Call: Hashable {
    /// The name of the file.
    case upload(String)
    case commit
    case check
    case post
    case checkPost
    case index(Int)
  }

  /// How a commit comes out.
  enum Commit {
    case lands
    case fails(CallFault)
    /// The records are written, but the answer says otherwise, or never comes.
    case landsUnheard(CallFault)
  }

  private struct State {
    var calls: [Call] = []
    var uploads: [String: [CallFault]] = [:]
    var commits: [Commit] = []
    var posts: [Commit] = []
    var postChecks: [CallFault] = []
    var checks: [CallFault] = []
    var indexes: [CallFault] = []
    var writes: [[RecordWrite]] = []
    var landed: [RecordWrite] = []
    var indexed: [[ATURI]] = []
  }

  private let state = Locked(State())
  private let gates = Locked<[String: Gate]>([:])
  private let beforeCommits = Locked<(@Sendable () async -> Void)?>(nil)
  private let beforeUploads = Locked<(@Sendable () async -> Void)?>(nil)

  // MARK: The script

  /// The next uploads of a file fail like this, in turn.
  func onUpload(_ file: String, _ faults: CallFault...) { onUploads(file, faults) }

  /// The same for any number.
  func onUploads(_ file: String, _ faults: [CallFault]) {
    state.withLock { $0.uploads[file] = faults }
  }

  /// The next commits come out like this, in turn.
  func onCommit(_ outcomes: Commit...) { onCommits(outcomes) }

  /// The same for any number.
  func onCommits(_ outcomes: [Commit]) { state.withLock { $0.commits = outcomes } }

  /// The next posts come out like this, in turn.
  func onPost(_ outcomes: Commit...) { state.withLock { $0.posts = outcomes } }

  /// The next questions after the post fail like this, in turn.
  func onPostCheck(_ faults: CallFault...) { state.withLock { $0.postChecks = faults } }

  /// The next landing checks fail like this, in turn.
  func onCheck(_ faults: CallFault...) { state.withLock { $0.checks = faults } }

  /// The next index calls fail like this, in turn.
  func onIndex(_ faults: CallFault...) { state.withLock { $0.indexes = faults } }

  /// What a test wants to see the moment a commit arrives.
  func beforeCommit(_ look: @escaping @Sendable () async -> Void) {
    beforeCommits.withLock { $0 = look }
  }

  /// What happens while the bytes of an upload are on their way, twice for each.
  func duringUploads(_ act: @escaping @Sendable () async -> Void) {
    beforeUploads.withLock { $0 = act }
  }

  /// Answers to uploads of a file, or to `commit`, wait for this gate from now on.
  func hold(_ name: String) -> Gate {
    gates.withLock { gates in
      let gate = Gate()
      gates[name] = gate
      return gate
    }
  }

  // MARK: What happened

  var calls: [Call] { state.withLock(\.calls) }
  /// What every commit tried to write.
  var writes: [[RecordWrite]] { state.withLock(\.writes) }
  /// What is in the repository.
  var landed: [RecordWrite] { state.withLock(\.landed) }
  var indexed: [[ATURI]] { state.withLock(\.indexed) }
  func forgetCalls() { state.withLock { $0.calls = [] } }

  var uploads: [String] {
    calls.compactMap { if case .upload(let file) = $0 { file } else { nil } }
  }

  // MARK: The door

  var client: RepositoryClient {
    RepositoryClient(
      uploadBlob: { [self] path, mediaType, sent async throws(CallFault) in
        try await upload(String(path.split(separator: "/").last ?? ""), mediaType, sent)
      },
      applyWrites: { [self] writes, _ async throws(CallFault) in try await commit(writes) },
      createRecord: { [self] write async throws(CallFault) in
        let outcome = state.withLock { state in
          state.calls.append(.post)
          state.writes.append([write])
          return Self.next(&state.posts) ?? .lands
        }
        await passGate("post")
        switch outcome {
        case .lands: state.withLock { $0.landed.append(write) }
        case .fails(let fault): throw fault
        case .landsUnheard(let fault):
          state.withLock { $0.landed.append(write) }
          throw fault
        }
      },
      getRecord: { [self] collection, key async throws(CallFault) in
        try check(collection, key).map { Self.record($0) }
      },
      listRecords: { [self] collection, _ in
        RecordPage(
          records: state.withLock(\.landed).filter { $0.collection == collection }
            .map(Self.record))
      },
      latestCommit: { CID(rawSHA256: []) },
      blobAddress: { "https://pds.test/\($0)" },
      deleteGallery: { _ async throws(CallFault) in
        throw .refused(status: 501, error: "MethodNotImplemented", message: nil)
      },
      indexRecords: { [self] uris async throws(CallFault) in
        let fault = state.withLock { state in
          state.calls.append(.index(uris.count))
          state.indexed.append(uris)
          return Self.next(&state.indexes)
        }
        if let fault { throw fault }
      })
  }

  private func upload(
    _ file: String, _ mediaType: String, _ sent: @Sendable (Int64) -> Void
  ) async throws(CallFault) -> BlobReference {
    state.withLock { $0.calls.append(.upload(file)) }
    await beforeUploads.withLock { $0 }?()
    sent(500)
    await beforeUploads.withLock { $0 }?()
    await passGate(file)
    if Task.isCancelled { throw .cancelled }
    let fault = state.withLock { Self.next(&$0.uploads[file, default: []]) }
    if let fault { throw fault }
    sent(1000)
    return BlobReference(cid: CID(rawSHA256: Array(file.utf8)), mimeType: mediaType, size: 1000)
  }

  private func commit(_ writes: [RecordWrite]) async throws(CallFault) {
    await beforeCommits.withLock { $0 }?()
    let outcome = state.withLock { state in
      state.calls.append(.commit)
      state.writes.append(writes)
      return Self.next(&state.commits) ?? .lands
    }
    await passGate("commit")
    if Task.isCancelled { throw .cancelled }
    switch outcome {
    case .lands: land(writes)
    case .fails(let fault): throw fault
    case .landsUnheard(let fault):
      land(writes)
      throw fault
    }
  }

  private func land(_ writes: [RecordWrite]) {
    state.withLock { state in
      for write in writes {
        if write.action == .delete {
          state.landed.removeAll { $0.collection == write.collection && $0.key == write.key }
        } else {
          state.landed.append(write)
        }
      }
    }
  }

  private func check(_ collection: NSID, _ key: RecordKey) throws(CallFault) -> RecordWrite? {
    let isPost = collection == CollectionNames.blueskyPost
    let (fault, value) = state.withLock { state in
      state.calls.append(isPost ? .checkPost : .check)
      let found = state.landed.first { $0.collection == collection && $0.key == key }
      let fault = isPost ? Self.next(&state.postChecks) : Self.next(&state.checks)
      return (fault, found)
    }
    if let fault { throw fault }
    return value
  }

  private static func record(_ write: RecordWrite) -> RepositoryRecord {
    RepositoryRecord(
      key: write.key, cid: CID(rawSHA256: Array(JSONValue.object(write.value).text().utf8)),
      value: write.value)
  }

  private func passGate(_ name: String) async { await gates.withLock { $0[name] }?.pass() }

  private static func next<Value>(_ list: inout [Value]) -> Value? {
    list.isEmpty ? nil : list.removeFirst()
  }
}
