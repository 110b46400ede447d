package import GrainServices
package import GrainSnapshots
import Observation
package import OpenSSLCrypto

/// The devices and apps that hold a token of one account (P36–P39).
///
/// Browser sessions can use the account too and are in no list, which is always told (P46).
@MainActor
@Observable
package final class DeviceListModel {
  /// Whose list it is.
  package let account: AccountID

  private var entries: [DeviceEntry] = []
  private var phase: DeviceListSnapshot.Phase = .loading
  private var problem: Problem?
  /// Running operations by what they do, so that an equal intent joins.
  private var running: [Work: String] = [:]
  /// Where push messages are being sent to, while that is being told.
  private var registering: Push?
  /// How often the list is being asked for at this moment.
  private var loads = 0
  /// What was revoked here: an answer to an earlier question may still have it.
  @ObservationIgnored private var gone: Set<String> = []

  @ObservationIgnored private let devices: DevicesDoor
  @ObservationIgnored private let operations: OperationCenter
  @ObservationIgnored private var opening: Task<Void, Never>?
  /// What fits into the shell's messages.
  @ObservationIgnored var budget: @MainActor () -> StateBudget = { StateBudget() }
  /// What the person calls the account.
  @ObservationIgnored var name: () -> String
  /// Shows what has become of the accounts, and the end of an operation in the same instant (O8).
  @ObservationIgnored var settle:
    @MainActor (_ change: @escaping @MainActor () -> Void) async -> Void = { $0() }

  private enum Work: Hashable {
    case refresh
    case revoke(String)
    case push
  }

  private struct Push: Equatable {
    let transport: String
    let token: Secret?
  }

  /// A list that is still to be asked for.
  package init(account: AccountID, devices: DevicesDoor, operations: OperationCenter) {
    self.account = account
    self.devices = devices
    self.operations = operations
    name = { account.rawValue }
  }

  /// Asks for the list, for the first who looks at it.
  func open() {
    guard opening == nil else { return }
    opening = Task { [weak self] in
      guard self?.running.isEmpty == true else { return }
      _ = await self?.load()
    }
  }

  /// Asks for nothing more.
  func close() { opening?.cancel() }

  // MARK: State

  /// The whole list, in the service's order.
  package var snapshot: DeviceListSnapshot {
    var list = DeviceListSnapshot(
      status: status, phase: phase, can: can, operation: running.values.min(), problem: problem,
      incomplete: true)
    list.show(entries.map { ($0.id, client($0)) }, within: budget())
    return list
  }

  private var status: ModelStatus {
    if loads > 0 || phase == .loading || !running.isEmpty { return .busy }
    return problem == nil ? .idle : .failed
  }

  private var can: [IntentName] {
    var names: [IntentName] = []
    if running[.refresh] == nil { names.append(.devicesRefresh) }
    if entries.contains(where: { !can($0).isEmpty }) { names.append(.devicesRevoke) }
    if running[.push] == nil, entries.first(where: \.isCurrent)?.kind == .device {
      names.append(.devicesSetPush)
    }
    return names
  }

  private func can(_ entry: DeviceEntry) -> [IntentName] {
    running[.revoke(entry.id)] == nil ? [.devicesRevoke] : []
  }

  private func client(_ entry: DeviceEntry) -> DeviceListSnapshot.Client {
    DeviceListSnapshot.Client(
      kind: entry.kind == .device ? .device : .app, name: AccountRecord.line(entry.name),
      platform: entry.platform.map(AccountRecord.line),
      createdAt: entry.createdAt.flatMap(WireTime.text),
      lastUsedAt: entry.lastUsedAt.flatMap(WireTime.text), current: entry.isCurrent,
      can: can(entry))
  }

  // MARK: Intents

  /// Reads the list anew.
  package func refresh() throws(IntentRejection) -> Accepted {
    if let operation = running[.refresh] { return Accepted(operation: operation, joined: true) }
    problem = nil
    return begin(.refresh, .devicesRefresh) { await self.load() }
  }

  /// Takes the token from a device or app; from this one it signs out (P38).
  package func revoke(_ client: String) throws(IntentRejection) -> Accepted {
    let work = Work.revoke(client)
    if let operation = running[work] { return Accepted(operation: operation, joined: true) }
    guard entries.contains(where: { $0.id == client }) else {
      throw .notAvailable(.devicesRevoke, phase: phase.rawValue)
    }
    problem = nil
    return begin(work, .devicesRevoke) { await self.revoked(client) }
  }

  /// Tells the service where push messages for this device go; without a token, nowhere (P39, P42).
  package func setPush(
    transport: String, token: Secret?
  ) throws(IntentRejection) -> Accepted {
    let push = Push(transport: transport, token: token)
    if let operation = running[.push], registering == push {
      return Accepted(operation: operation, joined: true)
    }
    guard can.contains(.devicesSetPush) else {
      throw .notAvailable(.devicesSetPush, phase: phase.rawValue)
    }
    problem = nil
    registering = push
    return begin(.push, .devicesSetPush) { await self.registered(push) }
  }

  // MARK: Work

  private func begin(
    _ work: Work, _ intent: IntentName, _ perform: @escaping @MainActor () async -> Problem?
  ) -> Accepted {
    let operation = operations.start(intent) { [weak self] _ in
      let failure = await perform()
      guard let self else { return failure.map { .failed($0) } ?? .succeeded }
      await self.settle {
        self.running[work] = nil
        if work == .push { self.registering = nil }
        self.problem = failure
      }
      return failure.map { .failed($0) } ?? .succeeded
    }
    running[work] = operation
    return Accepted(operation: operation)
  }

  private func load() async -> Problem? {
    loads += 1
    defer { loads -= 1 }
    do throws(DeviceError) {
      entries = try await devices.list(account).filter { !gone.contains($0.id) }
      phase = .ready
      problem = nil
      return nil
    } catch {
      let failure = Problem(error, account: name())
      // What was read before is still the best there is to show.
      if phase == .loading { phase = .failed }
      problem = failure
      return failure
    }
  }

  private func revoked(_ client: String) async -> Problem? {
    do throws(DeviceError) {
      try await devices.revoke(account, client)
      gone.insert(client)
      entries.removeAll { $0.id == client }
      return nil
    } catch {
      return Problem(error, account: name())
    }
  }

  private func registered(_ push: Push) async -> Problem? {
    do throws(DeviceError) {
      try await devices.setPush(account, push.transport, push.token)
      return nil
    } catch {
      return Problem(error, account: name())
    }
  }
}
