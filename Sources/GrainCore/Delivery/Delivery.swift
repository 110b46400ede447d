import GrainServices
import SystemClients

/// How `grain-core deliver` hands a callback URL to the running core: over a socket in the data folder,
/// to the same checks as `login.callback` (design §4, bridge-protocol §6).
///
/// The URL is neither logged nor repeated, by either side (A21).
package enum Delivery {
  /// What became of a URL.
  package enum Outcome: Equatable, Sendable {
    /// A sign-in waited for it and goes on.
    case delivered
    /// No sign-in waits for it.
    case unknown
    /// No core runs in that folder.
    case nobody
    /// The core did not take it in time.
    case silent
    /// The socket is another user's, who was told nothing.
    case foreign
    /// The socket cannot be reached, with the system's error number.
    case unreachable(errno: Int32)
  }

  /// The longest URL, in Unicode scalars, as for `login.callback`.
  package static let longestURL = 16_384
  private static let socketName = "deliver.sock"
  private static let delivered = Array("delivered\n".utf8)
  private static let unknown = Array("unknown\n".utf8)

  /// Hands a URL to the core that works in a folder; blocks until it has answered.
  ///
  /// - Parameters:
  ///   - url: as the browser ended there.
  ///   - folder: the data folder, an absolute path.
  /// - Returns: what became of it.
  package static func hand(_ url: String, to folder: String) -> Outcome {
    do throws(FolderSocket.AskFailure) {
      let answer = try FolderSocket.ask(in: folder, named: socketName, Array(url.utf8))
      return answer == delivered ? .delivered : .unknown
    } catch {
      return switch error {
      case .nobody: .nobody
      case .foreign: .foreign
      case .silent: .silent
      case .other(let code): .unreachable(errno: code)
      }
    }
  }

  /// Opens the core's end; who comes before ``take(for:log:)`` waits a moment.
  ///
  /// - Returns: `nil` where the folder takes no socket: the core works without.
  static func socket(in folder: DataFolder, log: Log) -> FolderSocket? {
    do throws(FileError) {
      return try FolderSocket.listen(in: folder.path, named: socketName)
    } catch {
      log.write(
        .warn, "deliver", "callbacks cannot be delivered from outside",
        ["reason": StoreFault(error).reason])
      return nil
    }
  }

  /// Offers a message to whoever waits for a callback.
  fileprivate static func take(
    _ message: [UInt8], for coordinator: CallbackCoordinator, log: Log
  ) -> [UInt8] {
    let text = String(validating: message, as: UTF8.self)?.trimmingWhitespace
    guard let text, text.unicodeScalars.count <= longestURL,
      coordinator.offer(text, from: .desktop) == .delivered
    else {
      log.write(.info, "deliver", "a callback was ignored", ["reason": "no sign-in waits for it"])
      return unknown
    }
    log.write(.info, "deliver", "a callback was delivered")
    return delivered
  }
}

extension FolderSocket {
  /// Begins to take callbacks.
  func take(for coordinator: CallbackCoordinator, log: Log) {
    serve { Delivery.take($0, for: coordinator, log: log) }
  }
}

extension StoreFault {
  /// The fault in a word or two for the log.
  fileprivate var reason: String {
    switch self {
    case .full: "the disk is full"
    case .unwritable(let detail): detail
    default: "the folder takes no socket"
    }
  }
}

extension String {
  /// Without the white space around it, such as the line end of a pipe.
  fileprivate var trimmingWhitespace: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
