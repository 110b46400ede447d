import GrainCore
import GrainTestSupport
import SystemClients
import Testing

@Suite("The test profile, started again")
struct TestProfileTests {
  @Test("a second start on the same data goes on in time and draws other ids; a fresh one does not")
  func runs() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("test-clock")
    func ids(_ file: String?) -> [[UInt8]] {
      var doors = Core.Doors(log: .silent)
      TestProfile(seed: 1, clockFile: file).equip(&doors)
      return (0..<50).compactMap { _ in doors.ids?.bytes(8) }
    }
    let (first, second, third) = (ids(file), ids(file), ids(file))
    #expect(Set(first + second + third).count == 150)
    #expect(ids(nil) == first)
    #expect(ids(nil) == first)
  }
}
