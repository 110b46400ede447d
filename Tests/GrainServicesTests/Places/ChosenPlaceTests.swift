import GrainLexicon
import GrainServices
import Testing

@Suite("A place the person chose")
struct ChosenPlaceTests {
  private let cell = "8a2656088b17fff"

  @Test("is a cell, a name and an address, trimmed, the country in upper case (grain-product §14)")
  func checked() throws {
    let place = try ChosenPlace(
      cell: cell, name: " Blue Bottle Coffee ",
      address: PostalAddress(
        country: "us", postalCode: " ", region: "California ", street: "1 A St"))
    #expect(place.location == GridLocation(value: cell, name: "Blue Bottle Coffee"))
    #expect(place.address == PostalAddress(country: "US", region: "California", street: "1 A St"))
  }

  @Test("a point is refused wherever it is written: it would be nearer than the cell")
  func points() {
    for point in ["39.0997, -94.5786", "51.50551,-0.07541", "(48.8584 N, 2.2945 E)", "1,234 2,345"]
    {
      #expect(throws: ChosenPlace.Flaw.coordinates("name")) {
        try ChosenPlace(cell: cell, name: point)
      }
      #expect(throws: ChosenPlace.Flaw.coordinates("street")) {
        try ChosenPlace(
          cell: cell, name: "Here", address: PostalAddress(country: "US", street: point))
      }
    }
    // Numbers alone are no point.
    #expect(throws: Never.self) { try ChosenPlace(cell: cell, name: "Route 66, km 12.5") }
  }

  @Test("without a cell, a name or a country there is no place")
  func missing() {
    #expect(throws: ChosenPlace.Flaw.cell) { try ChosenPlace(cell: "39.1", name: "Here") }
    #expect(throws: ChosenPlace.Flaw.name) { try ChosenPlace(cell: cell, name: " ") }
    for country in ["", "U", "United States"] {
      #expect(throws: ChosenPlace.Flaw.country) {
        try ChosenPlace(cell: cell, name: "Here", address: PostalAddress(country: country))
      }
    }
  }
}
