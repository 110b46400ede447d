import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("Devices and apps")
struct PlatriumDeviceTests {
  private typealias World = PlatriumWorld

  private static let list = ScriptedHTTP.Answer.json(
    """
    {"clients":[
    {"id":"c1","kind":"DEVICE","name":"Ada's phone","platform":"IOS","created_at":"2026-01-01T00:00:00Z",
    "push_transport":"APNS","current":true},
    {"id":"c2","kind":"APP","name":"Backup","created_at":"2026-01-02T00:00:00Z",
    "last_used_at":"2026-02-01T00:00:00Z","current":false}]}
    """)

  @Test("the list has devices and apps and flags this one (P6, P36, P46)")
  func listing() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("clients"), Self.list)
    #expect(
      try await world.devices.list(World.account) == [
        DeviceEntry(
          id: "c1", kind: .device, name: "Ada's phone", platform: "IOS",
          createdAt: "2026-01-01T00:00:00Z", pushTransport: "APNS", isCurrent: true),
        DeviceEntry(
          id: "c2", kind: .app, name: "Backup", createdAt: "2026-01-02T00:00:00Z",
          lastUsedAt: "2026-02-01T00:00:00Z"),
      ])
  }

  @Test("only Platrium accounts have such a list")
  func others() async throws {
    let world = try await World(over: true)
    for account in [AccountsWorld.alice.account, World.account, .pixiv(user: "1")] {
      await #expect(throws: DeviceError.unknown) { try await world.devices.list(account) }
    }
    #expect(world.asked.isEmpty)
  }

  @Test("revoking another entry ends that one; revoking one's own is a sign-out (P8, P38)")
  func revoking() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("clients/c2"), .status(204))
    world.http.answer(World.endpoint("clients/c1"), .status(204))
    try await world.devices.revoke(World.account, "c2")
    #expect(await world.accounts.state()?.session == .signedIn(World.account))
    world.http.answer(World.endpoint("device/push"), .status(401))
    try await world.devices.revoke(World.account, "c1")
    #expect(await world.accounts.state()?.accounts == [])
    #expect(try world.base.base.count("revocation") == 0)
  }

  @Test("a pasted token finds its own entry in the list")
  func ownEntryOfPasted() async throws {
    let world = try await World()
    world.http.answer(World.endpoint("clients"), Self.list)
    world.http.answer(World.endpoint("clients/c1"), .status(204))
    let token = Secret(text: World.first)
    _ = await world.signIn(.platriumToken(server: World.host, token: token))
    world.http.answer(World.endpoint("device/push"), .status(401))
    try await world.devices.revoke(World.account, "c1")
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test("a list that is refused with 401 ends the account (P9)")
  func ended() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("clients"), .status(401))
    await #expect(throws: DeviceError.sessionExpired) {
      try await world.devices.list(World.account)
    }
    #expect(await world.accounts.state()?.accounts.first?.standing == .expired(.refused))
  }

  @Test("a push token is set, kept sealed, and cleared (P7, P39, P42, P43, P44)")
  func push() async throws {
    let world = try await World(signedIn: true)
    try await world.devices.setPush(World.account, "FCM", Secret(text: "push-1"))
    let put = World.body(world.http.requests.last)
    #expect(put?["transport"]?.stringValue == "FCM")
    #expect(put?["token"]?.stringValue == "push-1")
    #expect(try await world.store.push(World.account) != nil)
    #expect(try world.base.base.count("vault_row WHERE instr(sealed, 'push-1')") == 0)
    try await world.devices.setPush(World.account, "FCM", nil)
    #expect(world.asked.last == "DELETE device/push")
    #expect(try await world.store.push(World.account) == nil)
  }

  @Test("an app gets no push, and is not asked for (P7)")
  func appPush() async throws {
    let world = try await World()
    world.http.answer(World.endpoint("token"), World.issued(kind: "APP"))
    _ = await world.signIn(.platrium(server: World.host, device: nil))
    let before = world.asked
    await #expect(throws: DeviceError.forbidden(detail: nil)) {
      try await world.devices.setPush(World.account, "FCM", Secret(text: "push-1"))
    }
    #expect(world.asked == before)
  }

  @Test("a push token that the service did not take is sent again after the next launch (P42)")
  func pushLater() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("device/push"), .failure(.offline))
    await #expect(throws: DeviceError.remote(.offline)) {
      try await world.devices.setPush(World.account, "FCM", Secret(text: "push-1"))
    }
    world.http.answer(World.endpoint("device/push"), .status(204))
    await (try await world.restarted()).upkeepEnded()
    #expect(world.asked.suffix(2) == ["GET me", "PUT device/push"])
    await (try await world.restarted()).upkeepEnded()
    #expect(world.asked.last == "GET me")
  }
}
