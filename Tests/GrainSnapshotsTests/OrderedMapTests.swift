import Testing

@testable import GrainSnapshots

@Suite("A keyed collection and its order")
struct OrderedMapTests {
  @Test("a new key goes to the end, a known one keeps its place")
  func setting() {
    var map: OrderedMap<Int> = ["a": 1, "b": 2]
    map["c"] = 3
    map["a"] = 10
    #expect(map.order == ["a", "b", "c"])
    #expect(map["a"] == 10)
    #expect(map.count == 3)
  }

  @Test("removing a value removes its key from the order")
  func removing() {
    var map: OrderedMap<Int> = ["a": 1, "b": 2]
    map["a"] = nil
    map["zzz"] = nil
    #expect(map == ["b": 2])
    #expect(map.order == ["b"])
  }

  @Test(
    "a key moves in front of another, or to the end",
    arguments: [
      ("c", "a", ["c", "a", "b"]), ("a", "c", ["b", "a", "c"]), ("a", nil, ["b", "c", "a"]),
      ("b", "b", ["a", "b", "c"]),
    ] as [(String, String?, [String])])
  func moving(key: String, before: String?, expected: [String]) {
    var map: OrderedMap<Int> = ["a": 1, "b": 2, "c": 3]
    let isKnown = map.move(key, before: before)
    #expect(isKnown)
    #expect(map.order == expected)
  }

  @Test("moving a key nobody knows, or before one nobody knows, changes nothing")
  func movingUnknown() {
    var map: OrderedMap<Int> = ["a": 1, "b": 2]
    let moves = [map.move("x"), map.move("a", before: "x")]
    #expect(moves == [false, false])
    #expect(map.order == ["a", "b"])
  }

  @Test("the same values in another order are another collection")
  func orderCounts() {
    let one: OrderedMap<Int> = ["a": 1, "b": 2]
    let other: OrderedMap<Int> = ["b": 2, "a": 1]
    #expect(one != other)
  }

  @Test("an order that does not name every value exactly once is refused")
  func disagreement() {
    #expect(OrderedMap(order: ["a"], values: ["a": 1]) != nil)
    #expect(OrderedMap(order: ["a", "a"], values: ["a": 1]) == nil)
    #expect(OrderedMap(order: ["a"], values: ["a": 1, "b": 2]) == nil)
    #expect(OrderedMap(order: ["a", "c"], values: ["a": 1, "b": 2]) == nil)
  }
}
