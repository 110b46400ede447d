package import GrainLexicon

/// A place a person chose for a gallery, checked: a cell of the grid, a name, perhaps an address. Never
/// a point: coordinates are not accepted, stored or sent (grain-product §14).
///
/// Whoever finds places makes one of these, and nothing else becomes a draft's location: today the shell,
/// once it is here a search of this core's own, which would compute the cell itself.
package struct ChosenPlace: Equatable, Sendable {
  /// Which part is not as it must be.
  package enum Flaw: Error, Equatable, Sendable {
    case cell
    case name
    case country
    /// A text of the place is a pair of coordinates.
    case coordinates(String)
  }

  /// As the gallery's record has it.
  package let location: GridLocation
  /// The same place in words.
  package let address: PostalAddress?

  /// Checks a place: texts are trimmed, empty ones absent, the country in upper case.
  package init(cell: String, name: String, address: PostalAddress? = nil) throws(Flaw) {
    let grid: GridCell
    do throws(GridCell.Flaw) {
      grid = try GridCell(cell)
    } catch {
      throw .cell
    }
    let name = name.trimmed
    if name.isEmpty { throw .name }
    if Self.isPoint(name) { throw .coordinates("name") }
    location = GridLocation(value: grid.index, name: name)
    self.address = try address.map(Self.checked)
  }

  private static func checked(_ address: PostalAddress) throws(Flaw) -> PostalAddress {
    let country = address.country.trimmed.uppercased()
    guard (2...10).contains(country.utf8.count) else { throw .country }
    var checked = PostalAddress(country: country)
    for (member, part) in [
      ("postalCode", \PostalAddress.postalCode), ("region", \.region), ("locality", \.locality),
      ("street", \.street), ("name", \.name),
    ] as [(String, WritableKeyPath<PostalAddress, String?>)] {
      guard let text = address[keyPath: part]?.trimmed, !text.isEmpty else { continue }
      if isPoint(text) { throw .coordinates(member) }
      checked[keyPath: part] = text
    }
    return checked
  }

  /// Two numbers with a fraction, as maps write a point: it would be nearer than the cell.
  private static func isPoint(_ text: String) -> Bool {
    let number = /[-+]?\d{1,3}[.,]\d{3,}°?\s*[NSEWnsew]?/
    let parts = text.matches(of: number)
    guard parts.count == 2 else { return false }
    return text.replacing(number, with: "").allSatisfy { $0.isWhitespace || ",;/()".contains($0) }
  }
}
