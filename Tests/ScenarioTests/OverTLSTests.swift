import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

/// The core against the network over https. The names are led to this machine by the configuration's
/// map of hosts; with nothing but the system's resolver and trust store the same is tried in
/// `bridge/check/core_over_tls.py`, in a network namespace of its own.
@Suite("Over TLS", .serialized, .timeLimit(.minutes(3)))
struct OverTLSTests {
  private func withWorld(
    domain: String = "test", _ scenario: (World) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    try await World.run(
      {
        var secure = SecureSettings(authorityFile: folder.path("ca.pem"))
        secure.domain = domain
        $0.secure = secure
      }, scenario)
  }

  @Test(
    "a person signs in and publishes; plain http and loopback addresses stay forbidden",
    arguments: ["test", "example.com"])
  func story(domain: String) async throws {
    try await withWorld(domain: domain) { world in
      #expect(world.configuration["allowInsecureLoopback"] == false)
      let core = try await world.core()
      let did = try await core.shell.signIn("alice.\(domain)")
      #expect(try await did == world.did("alice.\(domain)").rawValue)
      #expect(core.tap.requests.allSatisfy { $0.url.scheme == "https" })
      let draft = try await core.shell.draft(try world.samplePhotos())
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await world.repository("alice.\(domain)").expect(galleries: 1, photos: 3)
      try await core.shell.signOut(did)
      #expect(world.count("POST", Path.revocation, status: 200) == 1)
      try await core.end()
    }
  }

  @Test("a server whose authority nobody vouches for is named, and hears not a word (FB-F5)")
  func untrusted() async throws {
    try await withWorld { world in
      let core = try await world.core { $0.trustAnchors = "" }
      let ending = try await core.shell.trySignIn("alice.test")
      let problem = try #require(ending.problem)
      #expect(ending.description == "failed network.tls")
      #expect(problem.isWorded, "\(problem.words)")
      #expect(problem.words.contains("alice.test"))
      #expect(problem.words.contains("certificate"))
      #expect(world.network.requests.isEmpty)
      // Once each: no later try mends a certificate.
      #expect(core.tap.requests.map { $0.url.host() } == ["alice.test", "appview.test"])
      let login = try await core.shell.read("login")
      #expect(login["problem"]?["retryable"] == false)
      try await core.end()
    }
  }

  @Test(
    "the program does as well, from the configuration the sandbox prints",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func program() async throws {
    try await withWorld { world in
      let core = try await world.process()
      try await core.shell.signIn("alice.test")
      try await core.end()
      #expect(!world.network.recordedProofs.isEmpty)
      #expect(world.network.recordedProofs.allSatisfy { $0.url.hasPrefix("https://") })
    }
  }
}
