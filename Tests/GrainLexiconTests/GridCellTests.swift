import GrainLexicon
import Testing

@Suite("A cell of the grid")
struct GridCellTests {
  @Test(
    "the cells of grain-product §21 are cells",
    arguments: ["8a2656088b17fff", "8a28f0004a17fff", "8a194ad30217fff"])
  func known(_ index: String) throws {
    #expect(try GridCell(index).index == index)
  }

  @Test(
    "what is no cell of resolution 10 is refused, with the reason",
    arguments: [
      ("", GridCell.Flaw.notAnIndex), ("8a2656088b17ff", .notAnIndex),
      ("8A2656088B17FFF", .notAnIndex), ("8a2656088b17ffg", .notAnIndex),
      ("+a2656088b17fff", .notAnIndex), ("892656088b3ffff", .resolution(9)),
      ("8b2656088b17fff", .resolution(11)),
      // Digits below the resolution, base cell 127, an edge, a deleted direction of a pentagon.
      ("8a2656088b17ff0", .noCell), ("8afe56088b17fff", .noCell), ("18a2656088b17ff", .noCell),
      ("8a0801000007fff", .noCell), ("8afceaf0bf12b88", .noCell),
    ])
  func refused(text: String, flaw: GridCell.Flaw) {
    #expect(throws: flaw) { try GridCell(text) }
  }
}
