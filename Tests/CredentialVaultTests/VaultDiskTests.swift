import CredentialVault
import Foundation
import GrainTestSupport
import OpenSSLCrypto
import SystemClients
import Testing

@Suite("A vault on a disk of its own")
struct VaultDiskTests {
  @Test(
    "a full disk refuses the new secret and keeps the old ones",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func full() async throws {
    let home = try Home()
    let run = try await MountNamespace.rerun(
      "InsideFullVault", at: home.folder.path, mounting: MountNamespace.smallDisk(kibibytes: 400))
    #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
  }
}

@Suite(
  "Inside a full vault",
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct InsideFullVault {
  @Test("the secret that does not fit is refused as full; the one before stays the newest")
  func fill() async throws {
    let folder = try #require(MountNamespace.folder)
    let provider = KeyFileProvider(path: "\(folder)/vault.key")
    let vault = try await CredentialVault(
      path: "\(folder)/core.sqlite", providers: [provider], random: .live)
    var written = -1
    var met: VaultError?
    while met == nil, written < 1000 {
      let secret = Secret([UInt8(written + 2 & 0xff)] + [UInt8](repeating: 7, count: 9000))
      met = await failure { try await vault.put("a", kind: "k", secret: secret) }
      if met == nil { written += 1 }
    }
    #expect(met == .full)
    #expect(written >= 0)
    let kept = try await vault.get("a", kind: "k")
    #expect(kept?.reveal().first == UInt8(written + 1 & 0xff))

    // With the disk full, a new vault is refused as well, and leaves no key behind.
    let other = KeyFileProvider(path: "\(folder)/other.key")
    let second = await failure {
      _ = try await CredentialVault(
        path: "\(folder)/other.sqlite", providers: [other], random: .live)
    }
    #expect(second == .full)
    #expect(try !other.isOccupied())
  }
}
