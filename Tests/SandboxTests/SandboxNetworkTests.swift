import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import Sandbox
import StrictJSON
import SystemClients
import Testing

@Suite struct SandboxNetworkTests {
  @Test("a restart on the same file meets the same servers, accounts and records")
  func restart() async throws {
    let folder = try TemporaryFolder()
    var configuration = SandboxConfiguration()
    configuration.databasePath = folder.path + "/sandbox.sqlite"
    let before = Locked<(SandboxAddresses, DID)?>(nil)
    try await SandboxVisit.run(configuration) { (visit) async throws -> Void in
      _ = try await visit.create("social.grain.favorite", ["a": 1], key: "k")
      before.withLock { $0 = (visit.network.addresses, visit.alice) }
    }
    let (addresses, alice) = try #require(before.withLock { $0 })
    try await SandboxVisit.run(configuration) { (visit) async throws -> Void in
      #expect(visit.network.addresses.hosts == addresses.hosts)
      #expect(visit.network.addresses.plc == addresses.plc)
      #expect(visit.alice == alice)
      #expect(try await visit.read("social.grain.favorite", "k")["value"]?["a"] == 1)
    }
  }

  @Test("a seed gives the same identities on the same ports, another seed others")
  func seeds() async throws {
    func did(_ seed: UInt64, _ ports: [SandboxConfiguration.ServerName: Int]) async throws -> (
      DID, Int
    ) {
      var configuration = SandboxConfiguration()
      configuration.seed = seed
      configuration.ports = ports
      let found = Locked<(DID, Int)?>(nil)
      try await SandboxVisit.run(configuration) { (visit) async throws -> Void in
        found.withLock { $0 = (visit.alice, visit.network.addresses.pds.port ?? 0) }
      }
      return try #require(found.withLock { $0 })
    }
    let (first, port) = try await did(7, [:])
    #expect(try await did(7, [.pds: port]).0 == first)
    #expect(try await did(8, [.pds: port]).0 != first)
  }

  @Test("the log has every request in order, without query or token")
  func log() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      #expect(visit.network.requests.isEmpty)
      _ = try await visit.query("com.atproto.server.getSession", [("secret", "s")], as: visit.alice)
      _ = try await visit.send("GET", "https://alice.test/.well-known/atproto-did")
      let authority = visit.network.addresses.pds.absoluteString.dropFirst("http://".count)
      #expect(
        visit.network.requests.map(\.description) == [
          "pds GET \(authority)/xrpc/com.atproto.server.getSession 200",
          "pds GET alice.test/.well-known/atproto-did 200",
        ])
    }
  }

  @Test("a DPoP proof is kept with what it must match; the token itself is not")
  func proofs() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let address =
        "\(visit.network.addresses.pds.absoluteString)/xrpc/com.atproto.server.getSession"
      _ = try await visit.send(
        "GET", address + "?a=b", headers: ["Authorization": "DPoP did:plc:token", "DPoP": "proof"])
      let proof = try #require(visit.network.recordedProofs.first)
      #expect(proof.proof == "proof")
      #expect(proof.url == address)
      #expect(proof.accessTokenHash == "4qRU6Vl4wULb4kTCDSL-IT7cj0WyCKLnK5D8G_kjx-I")
    }
  }

  @Test("a lost answer was processed, a dropped request was not")
  func lostAndDropped() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let create = SandboxFaults.Match(
        server: "pds", method: "POST", pathPrefix: "/xrpc/com.atproto.repo.createRecord")
      await visit.network.faults.add(.dropBeforeProcessing, on: create)
      await visit.network.faults.add(.lostAnswer, on: create)
      await #expect(throws: HTTPError.self) {
        _ = try await visit.create("social.grain.favorite", ["a": 1], key: "dropped")
      }
      await #expect(throws: HTTPError.self) {
        _ = try await visit.create("social.grain.favorite", ["a": 1], key: "lost")
      }
      #expect(try await visit.read("social.grain.favorite", "dropped").status == 400)
      #expect(try await visit.read("social.grain.favorite", "lost").status == 200)
      #expect(visit.network.requests.filter { $0.status == 0 }.count == 2)
    }
  }

  @Test("faults wait for the requests they match, and let the first ones pass if asked")
  func matching() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      await visit.network.faults.add(
        .status(429, retryAfter: 42), on: .init(pathPrefix: "/xrpc/com.atproto.repo.uploadBlob"),
        after: 1)
      #expect(try await visit.query("com.atproto.server.describeServer").status == 200)
      #expect(try await visit.upload([1], as: "image/png").status == 200)
      let limited = try await visit.upload([1], as: "image/png")
      #expect(limited.status == 429)
      #expect(limited.headers["Retry-After"] == "42")
      #expect(try await visit.upload([1], as: "image/png").status == 200)
      await visit.network.faults.add(.html502, on: .init(), times: 3)
      #expect(try await visit.query("com.atproto.server.describeServer").text.hasPrefix("<html>"))
      await visit.network.faults.clear()
      #expect(try await visit.query("com.atproto.server.describeServer").status == 200)
    }
  }

  @Test("a delayed request waits on the network's own clock")
  func delays() async throws {
    let slept = Locked<[Duration]>([])
    var configuration = SandboxConfiguration()
    configuration.clock = SystemClock(
      now: { Date() }, sleep: { duration in slept.withLock { $0.append(duration) } })
    try await SandboxVisit.run(configuration) { (visit) async throws -> Void in
      await visit.network.faults.add(.delay(.seconds(30)), on: .init())
      #expect(try await visit.query("com.atproto.server.describeServer").status == 200)
      await visit.network.faults.add(.lateAnswer(.seconds(40)), on: .init())
      #expect(try await visit.query("com.atproto.server.describeServer").status == 200)
      #expect(slept.withLock { $0 } == [.seconds(30), .seconds(40)])
    }
  }

  @Test("the servers' clock can be set wrong, and `Date` says so")
  func skew() async throws {
    var configuration = SandboxConfiguration()
    let noon = Date(timeIntervalSince1970: 1_700_000_000)
    configuration.clock = SystemClock(now: { noon }, sleep: { _ in })
    try await SandboxVisit.run(configuration) { (visit) async throws -> Void in
      #expect(
        try await visit.query("com.atproto.server.describeServer").headers["Date"]
          == "Tue, 14 Nov 2023 22:13:20 GMT")
      visit.network.clockOffset = -600
      #expect(
        try await visit.query("com.atproto.server.describeServer").headers["Date"]
          == "Tue, 14 Nov 2023 22:03:20 GMT")
    }
  }

  @Test("the configuration it offers names every server and no production host but the client id")
  func configuration() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let addresses = visit.network.addresses
      let configuration = addresses.configuration
      #expect(configuration["plcDirectory"] == .string(addresses.plc.absoluteString))
      #expect(
        configuration["appViewDID"] == .string("did:web:127.0.0.1%3A\(addresses.appView.port ?? 0)")
      )
      #expect(configuration["hosts"]?["alice.test"] == .string(addresses.pds.absoluteString))
      #expect(
        configuration["hosts"]?["*.entryway.test"] == .string(addresses.entryway.absoluteString))
      #expect(configuration["hosts"]?["grain.social"] == .string(addresses.appView.absoluteString))
      #expect(configuration["allowInsecureLoopback"] == true)
    }
  }

  @Test("an account can be made on every server, under its own domain only")
  func newAccounts() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let accounts = visit.network.accountDirectory(of: .signUpPDS)
      let dave = try await accounts.createAccount(
        handle: "Dave.signup.test", email: "Dave@example.com", password: "secret")
      #expect(dave.handle.rawValue == "dave.signup.test")
      #expect(await accounts.checkPassword("secret", for: dave.did))
      #expect(await !accounts.checkPassword("wrong", for: dave.did))
      #expect(await accounts.account("dave@example.com") == dave)
      let resolved = try await visit.send("GET", "https://dave.signup.test/.well-known/atproto-did")
      #expect(resolved.text == dave.did.rawValue)
      func refusal(_ handle: String) async -> AccountCreationError? {
        do throws(AccountCreationError) {
          _ = try await accounts.createAccount(handle: handle, email: "", password: "")
          return nil
        } catch {
          return error
        }
      }
      #expect(await refusal("dave.signup.test") == .handleNotAvailable("dave.signup.test"))
      #expect(await refusal("eve.test") == .unsupportedDomain("eve.test"))
      #expect(await refusal("eve.too.signup.test") == .unsupportedDomain("eve.too.signup.test"))
      #expect(await refusal("eve") == .invalidHandle("eve"))
    }
  }
}
