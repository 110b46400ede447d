import ATSyntax
import Foundation
import Testing

@Suite struct TIDTests {
  @Test(
    "a TID spells its moment and clock (grain-product §21)",
    arguments: [
      (Int64(0), 0, "2222222222222"), (0, 1, "2222222222223"),
      (1_700_000_000_000_000, 512, "3ke6kg3wk22k2"), (1_700_000_000_000_001, 0, "3ke6kg3wk2322"),
    ])
  func spelling(microseconds: Int64, clockID: Int, expected: String) throws {
    let tid = TID(microseconds: microseconds, clockID: clockID)
    #expect(tid.rawValue == expected)
    let read = try TID(expected)
    #expect(read.microseconds == microseconds)
    #expect(read.clockID == clockID)
  }

  @Test("the largest TID still starts at or below j")
  func largest() {
    #expect(TID(microseconds: 1 << 53 - 1, clockID: 1023).rawValue == "bzzzzzzzzzzzz")
  }

  @Test("keys rise strictly while the clock stands still and while it runs back")
  func monotonic() {
    let generator = TIDGenerator(clockID: 7)
    let noon = Date(timeIntervalSince1970: 1_700_000_000)
    let keys = [noon, noon, noon - 60, noon + 1].map(generator.next(at:))
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == 4)
    #expect(keys[0] == TID(microseconds: 1_700_000_000_000_000, clockID: 7))
    #expect(keys[3] == TID(microseconds: 1_700_000_001_000_000, clockID: 7))
  }

  @Test("a generator continues above the newest stored key")
  func continuation() {
    let stored = TID(microseconds: 2_000_000_000_000_000, clockID: 3)
    let generator = TIDGenerator(clockID: 0, after: stored)
    #expect(generator.next(at: Date(timeIntervalSince1970: 1_700_000_000)) > stored)
  }

  @Test("concurrent writers of one process never share a key")
  func concurrentUse() async {
    let generator = TIDGenerator(clockID: 1)
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let keys = await withTaskGroup(of: [TID].self) { group in
      for _ in 0..<4 { group.addTask { (0..<250).map { _ in generator.next(at: now) } } }
      return await group.reduce(into: Set<TID>()) { $0.formUnion($1) }
    }
    #expect(keys.count == 1000)
  }

  @Test("every TID is a record key")
  func recordKey() throws {
    let tid = TID(microseconds: 1, clockID: 1)
    #expect(RecordKey(tid) == (try RecordKey(tid.rawValue)))
  }
}
