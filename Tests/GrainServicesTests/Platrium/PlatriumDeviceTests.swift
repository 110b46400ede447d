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

  @Test("one's own entry revoked while a new sign-in comes in signs nobody out who came (P8, A30)")
  func revokingOlder() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.endpoint("clients/c1"), .status(204).held(at: gate))
    let revoking = Task { try await world.devices.revoke(World.account, "c1") }
    await gate.arrivals(atLeast: 1)
    world.http.answer(World.endpoint("token"), World.issued(World.second))
    #expect(await world.signIn() == .success(World.account))
    gate.open()
    try await revoking.value
    #expect(await world.accounts.state()?.session == .signedIn(World.account))
    #expect(
      try await world.store.credentials(World.account)?.revealText().contains(World.second)
        == true)
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

  @Test(
    "a push token whose account is signed out while the service hears of it is kept nowhere (A30)")
  func pushForNobody() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.endpoint("device/push"), .status(204).held(at: gate))
    let setting = Task {
      try await world.devices.setPush(World.account, "FCM", Secret(text: "push-1"))
    }
    await gate.arrivals(atLeast: 1)
    world.http.answer(World.endpoint("device/push"), .status(204))
    try await world.accounts.signOut(World.account, discardDrafts: false)
    gate.open()
    _ = await setting.result
    #expect(try await world.store.push(World.account) == nil)
  }

  @Test(
    "of two push tokens set at once the service hears last of the one that is kept (P39, P42)",
    arguments: [("push-1", "push-2"), ("push-1", nil), (nil, "push-2")] as [(String?, String?)])
  func pushAtOnce(older: String?, newer: String?) async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.endpoint("device/push"), .status(204).held(at: gate))
    let setting = Task {
      try await world.devices.setPush(World.account, "FCM", older.map(Secret.init(text:)))
    }
    await gate.arrivals(atLeast: 1)
    world.http.answer(World.endpoint("device/push"), .status(204))
    try await world.devices.setPush(World.account, "FCM", newer.map(Secret.init(text:)))
    // Only now does the service take the older one.
    gate.open()
    try await setting.value
    let kept = try await world.store.push(World.account)?.revealText()
    #expect(kept?.contains("push-1") != true)
    #expect((kept?.contains("push-2") == true) == (newer != nil))
    #expect(world.asked.last == (newer == nil ? "DELETE device/push" : "PUT device/push"))
    #expect(world.asked.suffix(3).count { $0.hasSuffix("device/push") } == 3)
    if let newer {
      #expect(World.body(world.http.requests.last)?["token"]?.stringValue == newer)
    }
  }

  @Test(
    "a newer push token is not undone by the late answer to an older one, and is told last (P39, P42)",
    arguments: ["push-2", nil])
  func pushOvertaken(newer: String?) async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("device/push"), .failure(.offline))
    await #expect(throws: DeviceError.remote(.offline)) {
      try await world.devices.setPush(World.account, "FCM", Secret(text: "push-1"))
    }
    let gate = Gate()
    world.http.answer(World.endpoint("me"), World.me(name: "Ada"))
    world.http.answer(World.endpoint("device/push"), .status(204).held(at: gate))
    await world.accounts.sources.platrium.lookAfter(World.account, .shown)
    await gate.arrivals(atLeast: 1)
    world.http.answer(World.endpoint("device/push"), .status(204))
    let before = world.asked.count
    try await world.devices.setPush(World.account, "FCM", newer.map(Secret.init(text:)))
    gate.open()
    await world.accounts.upkeepEnded()
    let kept = try await world.store.push(World.account)?.revealText()
    #expect(kept?.contains("push-1") != true)
    #expect((kept?.contains("push-2") == true) == (newer != nil))
    // Once for the person, and once more behind the late one.
    let telling = newer == nil ? "DELETE device/push" : "PUT device/push"
    #expect(Array(world.asked[before...]) == [telling, telling])
    if newer != nil {
      #expect(World.body(world.http.requests.last)?["token"]?.stringValue == newer)
    }
  }
}
