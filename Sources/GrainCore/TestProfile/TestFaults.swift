import Foundation
import HTTPTransport
import SystemClients

/// What goes wrong on purpose in the test profile, as far as it is the core's side of things
/// (bridge-protocol §13); a peer that stops reading or dies is the runner's.
final class TestFaults: Sendable {
  /// A fault by the name scripts give it.
  enum Name: String {
    /// Every request fails as without a network.
    case offline = "network.offline"
    /// Every request waits, in virtual time, before it goes out.
    case slow = "network.slow"
    /// Nothing this process writes to a file finds room.
    case full = "store.full"
  }

  private struct State {
    var isOffline = false
    var delay: Duration?
    var isFull = false
    /// The limit before the disk was full.
    var fileSizeLimit = rlimit()
  }

  private static let usualDelay = Duration.seconds(1)
  private let state = Locked(State())

  /// Lets a fault begin or end, with the delay of each request for `network.slow`; `false` when there
  /// is no such fault.
  func set(_ name: String, _ isOn: Bool, delay: Duration?) -> Bool {
    guard let name = Name(rawValue: name) else { return false }
    state.withLock { state in
      switch name {
      case .offline: state.isOffline = isOn
      case .slow: state.delay = isOn ? delay ?? Self.usualDelay : nil
      case .full: Self.fill(&state, isOn)
      }
    }
    return true
  }

  /// A network in which these faults happen.
  func network(_ network: HTTPClient, _ clock: SystemClock) -> HTTPClient {
    HTTPClient { [state] request, progress async throws(HTTPError) in
      let (isOffline, delay) = state.withLock { ($0.isOffline, $0.delay) }
      if isOffline { throw .offline }
      if let delay {
        do {
          try await clock.sleep(min(delay, request.deadline))
        } catch {
          throw .cancelled
        }
        if delay >= request.deadline { throw .timeout }
      }
      return try await network.send(request, progress)
    }
  }

  /// A file-size limit of nothing is what a full disk is to those who write: every write fails for
  /// want of room, for the store as for the files of drafts.
  private static func fill(_ state: inout State, _ isFull: Bool) {
    guard isFull != state.isFull else { return }
    state.isFull = isFull
    if isFull {
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &state.fileSizeLimit)
      var full = rlimit(rlim_cur: 0, rlim_max: state.fileSizeLimit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &full)
    } else {
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &state.fileSizeLimit)
    }
  }
}
