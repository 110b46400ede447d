import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import OpenSSLCrypto
import StrictJSON
import Testing

@MainActor
@Suite("Devices and apps", .timeLimit(.minutes(1)))
struct DeviceListTests {
  private let account = AccountID.paula.rawValue

  private func world(_ entries: [DeviceEntry] = [.desk, .script]) async -> ModelWorld {
    let world = await ModelWorld(.three, offers: ProviderOffer.all)
    world.devices.entries = entries
    return world
  }

  private func list(of world: ModelWorld) async throws -> DeviceListModel {
    let list = try world.models.deviceList(of: account)
    await until { list.snapshot.phase != .loading }
    return list
  }

  @Test("the list is asked for once it is looked at, and says that it is not all (P36, P46)")
  func open() async throws {
    let world = await world()
    await world.devices.gate.shut()
    let list = try world.models.deviceList(of: account)
    #expect(
      list.snapshot
        == DeviceListSnapshot(
          status: .busy, phase: .loading, can: [.devicesRefresh], incomplete: true))
    await world.devices.gate.open()
    await until { list.snapshot.phase != .loading }
    #expect(
      list.snapshot
        == DeviceListSnapshot(
          status: .idle, phase: .ready, can: [.devicesRefresh, .devicesRevoke, .devicesSetPush],
          client: [
            "c-1": .init(
              kind: .device, name: "Desk", platform: "LINUX",
              createdAt: "2026-02-01T08:00:00.000Z", lastUsedAt: "2026-03-01T12:00:00.250Z",
              current: true, can: [.devicesRevoke]),
            "c-2": .init(
              kind: .app, name: "Backup script", createdAt: "2026-01-05T10:00:00.000Z",
              current: false, can: [.devicesRevoke]),
          ], incomplete: true))
    #expect(try world.models.deviceList(of: account) === list)
    #expect(world.devices.calls == ["list"])
  }

  @Test("a list that cannot be had says why; what was there before stays")
  func failing() async throws {
    let world = await world()
    world.devices.fail(.remote(.offline))
    let list = try await list(of: world)
    #expect(list.snapshot.phase == .failed && list.snapshot.problem?.kind == .networkOffline)
    #expect(await world.end(of: try list.refresh().operation) == .succeeded)
    #expect(list.snapshot.phase == .ready && list.snapshot.problem == nil)
    world.devices.fail(.remote(.timeout(host: "platrium.test")))
    let outcome = await world.end(of: try list.refresh().operation)
    #expect(outcome == .failed(Problem(.networkTimeout, params: ["host": "platrium.test"])))
    #expect(list.snapshot.phase == .ready && list.snapshot.status == .failed)
    #expect(list.snapshot.client.order == ["c-1", "c-2"])
  }

  @Test("an equal intent joins the one that runs, and starts nothing")
  func joins() async throws {
    let world = await world()
    let list = try await list(of: world)
    await world.devices.gate.shut()
    let token = Secret(text: "t")
    let operations = [
      try list.refresh(), try list.revoke("c-2"), try list.setPush(transport: "FCM", token: token),
    ].map(\.operation)
    #expect(try list.refresh() == Accepted(operation: operations[0], joined: true))
    #expect(try list.revoke("c-2") == Accepted(operation: operations[1], joined: true))
    #expect(
      try list.setPush(transport: "FCM", token: token)
        == Accepted(operation: operations[2], joined: true))
    #expect(throws: IntentRejection.self) { try list.setPush(transport: "APNS", token: token) }
    await world.devices.gate.open()
    for operation in operations { #expect(await world.end(of: operation) == .succeeded) }
    #expect(Set(world.devices.calls) == ["list", "revoke c-2", "push FCM"])
    #expect(world.devices.tokens == [token])
  }

  @Test("a revoked one leaves the list; one that is not in it is refused (P38)")
  func revoke() async throws {
    let world = await world()
    let list = try await list(of: world)
    #expect(await world.end(of: try list.revoke("c-2").operation) == .succeeded)
    #expect(list.snapshot.client.order == ["c-1"])
    #expect(throws: IntentRejection.self) { try list.revoke("c-2") }
  }

  @Test("an answer that was asked for before does not bring a revoked one back (P38)")
  func lateAnswer() async throws {
    let world = await world()
    let list = try await list(of: world)
    await world.devices.answers.shut()
    let refresh = try list.refresh().operation
    await until { world.devices.calls.count == 2 }
    #expect(await world.end(of: try list.revoke("c-2").operation) == .succeeded)
    #expect(list.snapshot.client.order == ["c-1"])
    await world.devices.answers.open()
    #expect(await world.end(of: refresh) == .succeeded)
    #expect(list.snapshot.client.order == ["c-1"])
    #expect(list.snapshot.status == .idle)
  }

  @Test("push is for devices: an app is not offered it (P7); a push token is shown nowhere (P43)")
  func push() async throws {
    let app = await world([DeviceEntry(id: "c-9", kind: .app, name: "Desk", isCurrent: true)])
    let list = try await list(of: app)
    #expect(list.snapshot.can == [.devicesRefresh, .devicesRevoke])
    #expect(list.snapshot.client["c-9"]?.createdAt == nil)
    #expect(throws: IntentRejection.self) { try list.setPush(transport: "FCM", token: nil) }

    let device = await world()
    let own = try await self.list(of: device)
    let canary = Secret(text: "GRAINCANARY")
    device.devices.fail(.forbidden(detail: "no"))
    let outcome = await device.end(
      of: try own.setPush(transport: "APNS", token: canary).operation)
    #expect(!"\(String(describing: outcome))".contains("CANARY"))
    #expect(own.snapshot.problem?.kind == .accountScopeMissing)
    #expect(try !JSONValueEncoder().encode(own.snapshot).text().contains("CANARY"))
    #expect(
      await device.end(of: try own.setPush(transport: "APNS", token: nil).operation) == .succeeded)
    #expect(device.devices.tokens == [nil])
  }

  @Test("it is there for the account that is shown, as long as it is shown (A30, A31)")
  func hidden() async throws {
    let world = await world()
    let closed = Recorder<AccountID>()
    world.models.onDevicesClose = { closed.record($0) }
    let list = try await list(of: world)
    #expect(throws: IntentRejection.self) { try world.models.deviceList(of: "did:web:alice.test") }
    #expect(throws: IntentRejection.self) { try world.models.deviceList(of: "pixiv:77") }
    #expect(throws: IntentRejection.self) { try world.models.deviceList(of: "platrium:x:nobody") }

    let away = try world.models.accounts.activate(DID.alice.rawValue).operation
    #expect(await world.end(of: away) == .succeeded)
    #expect(closed.values == [.paula])
    #expect(world.models.accounts.snapshot.account[account]?.can.contains(.devicesRefresh) == false)
    #expect(throws: IntentRejection.self) { try world.models.deviceList(of: account) }

    let back = try world.models.accounts.activate(account).operation
    #expect(await world.end(of: back) == .succeeded)
    let fresh = try await self.list(of: world)
    #expect(fresh !== list)
    let out = try world.models.accounts.signOut(account, discardDrafts: false).operation
    #expect(await world.end(of: out) == .succeeded)
    #expect(closed.values == [.paula, .paula])
  }
}
