package import GrainServices
package import OpenSSLCrypto
import SystemClients

/// A service's list of devices and apps in a test: it answers what the test says, when it says so.
package final class ScriptedDevices: Sendable {
  private struct State: Sendable {
    var entries: [DeviceEntry] = []
    var failure: DeviceError?
    var calls: [String] = []
    var tokens: [Secret?] = []
  }

  /// Where every call waits while it is shut.
  package let gate = Turnstile()
  /// Where an answer with the list waits while it is shut, as it was when it was asked for.
  package let answers = Turnstile()
  private let state = Locked(State())

  /// A service with an empty list.
  package init() {}

  /// What is listed.
  package var entries: [DeviceEntry] {
    get { state.withLock(\.entries) }
    set { state.withLock { $0.entries = newValue } }
  }

  /// What was asked, in order: `list`, `revoke c-1`, `push APNS`.
  package var calls: [String] { state.withLock(\.calls) }

  /// The push tokens that were set.
  package var tokens: [Secret?] { state.withLock(\.tokens) }

  /// Makes the next call fail.
  package func fail(_ error: DeviceError) { state.withLock { $0.failure = error } }

  /// The list, as the models ask for it.
  package var door: DevicesDoor {
    DevicesDoor(
      list: { _ async throws(DeviceError) in
        let entries = self.entries
        try await self.answer("list")
        await self.answers.pass()
        return entries
      },
      revoke: { _, client async throws(DeviceError) in
        try await self.answer("revoke \(client)")
        self.entries.removeAll { $0.id == client }
      },
      setPush: { _, transport, token async throws(DeviceError) in
        try await self.answer("push \(transport)")
        self.state.withLock { $0.tokens.append(token) }
      })
  }

  private func answer(_ call: String) async throws(DeviceError) {
    state.withLock { $0.calls.append(call) }
    await gate.pass()
    let failure = state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
    if let failure { throw failure }
  }
}

extension DeviceEntry {
  /// The device a test runs on.
  package static var desk: DeviceEntry {
    DeviceEntry(
      id: "c-1", kind: .device, name: "Desk", platform: "LINUX",
      createdAt: "2026-02-01T08:00:00Z", lastUsedAt: "2026-03-01T12:00:00.25Z", isCurrent: true)
  }

  /// An app somewhere else.
  package static var script: DeviceEntry {
    DeviceEntry(id: "c-2", kind: .app, name: "Backup script", createdAt: "2026-01-05T10:00:00Z")
  }
}
