extension PostalAddress {
  /// The parts that tell one place from another of the same name, narrowest first.
  fileprivate var distinguishing: [String] {
    [locality ?? "", region ?? "", country].filter { !$0.isEmpty }
  }
}

/// The place of a gallery or story as one line of a post. Source: grain-product §13; FB-D16.
package enum PlaceLine {
  /// `📍` and the place: its name as it is where nothing more is known, else the first part of the name
  /// and what tells it from others, no part twice in a row.
  ///
  /// - Returns: `nil` without a name or an address.
  package static func text(_ location: GridLocation?, _ address: PostalAddress?) -> String? {
    let name = (location?.name ?? address?.name ?? "").trimmed
    let known = address?.distinguishing.map(\.trimmed).filter { !$0.isEmpty } ?? []
    guard !known.isEmpty else { return name.isEmpty ? nil : "📍 \(name)" }
    let first = name.split(separator: ",").first.map { String($0).trimmed } ?? ""
    var parts: [String] = []
    for part in [first] + known where !part.isEmpty {
      if parts.last?.lowercased() != part.lowercased() { parts.append(part) }
    }
    return "📍 " + parts.joined(separator: ", ")
  }
}
