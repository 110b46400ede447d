import GrainServices
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("A computer that sleeps", .serialized)
struct SleepTests {
  @Test(
    "eight hours of sleep between two uploads: the token is renewed, no upload is lost (FB-D15)")
  func resumed() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob), after: 1)
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the second upload")
      world.clock.ahead = 8 * 3600
      world.network.clockOffset = 8 * 3600
      // The connection did not outlive the night either.
      await world.network.faults.add(.dropBeforeProcessing, on: .pds(Path.uploadBlob))
      world.turnstile.open()
      let ending = try await world.impatiently { try await shell.ending(of: verdict) }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      #expect(world.uploads == 3)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }
}
