import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import OpenSSLCrypto

/// A list of devices and apps: the service answers only when a step says so.
@MainActor
final class DeviceStage: Stage {
  let world: ModelWorld
  let list: DeviceListModel

  /// `own` is the entry of this very sign-in: a device, or an app.
  init(own: DeviceEntry) async throws {
    world = await ModelWorld(.three, offers: ProviderOffer.all)
    world.devices.entries = [own, .script]
    await world.devices.gate.shut()
    list = try world.models.deviceList(of: AccountID.paula.rawValue)
    await world.devices.gate.arrivals()
  }

  var fingerprint: String {
    let state = list.snapshot
    let entries = state.client.map { "\($0.key) \($0.value.can.map(\.rawValue))" }
    return "\(state.phase) \(state.status) \(state.can.map(\.rawValue)) \(entries) "
      + "\(state.problem == nil)"
  }

  static var events: [Step<DeviceStage>] {
    [
      Step(name: "answer") { await $0.answer() },
      Step(name: "refusal") { stage in
        stage.world.devices.fail(.remote(.offline))
        return await stage.answer()
      },
    ]
  }

  private func answer() async -> Bool {
    guard list.snapshot.status == .busy else { return false }
    await world.devices.gate.open()
    await until { list.snapshot.status != .busy }
    await world.devices.gate.shut()
    await settle()
    return true
  }

  static var trials: [Trial<DeviceStage>] {
    [
      trial(.devicesRefresh) { try $0.list.refresh() },
      trial(.devicesSetPush) { try $0.list.setPush(transport: "FCM", token: Secret(text: "t")) },
    ]
      + [DeviceEntry.desk, .script].map { entry in
        Trial(
          name: "\(IntentName.devicesRevoke.rawValue) \(entry.id)",
          isListed: { stage in
            stage.list.snapshot.client[entry.id]?.can.contains(.devicesRevoke) ?? false
          },
          send: { stage in
            let accepted = try stage.list.revoke(entry.id)
            await settle()
            return accepted
          })
      }
  }

  private static func trial(
    _ intent: IntentName, _ send: @escaping @MainActor (DeviceStage) throws -> Accepted
  ) -> Trial<DeviceStage> {
    Trial(
      name: intent.rawValue, isListed: { $0.list.snapshot.can.contains(intent) },
      send: { stage in
        let accepted = try send(stage)
        await settle()
        return accepted
      })
  }
}
