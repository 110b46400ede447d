import ATSyntax
package import GrainServices
import GrainSnapshots

/// The suggestions under the handle field and where the keyboard stands among them.
///
/// Down from nothing is the first, down from the last the first again; up from the first clears.
/// Source: grain-product §5, Login screen model.
package struct SuggestionList: Equatable, Sendable {
  /// A move of the keyboard.
  package enum Move: String, CaseIterable, Sendable {
    case next, previous, none
  }

  /// The suggestions, best first.
  package private(set) var items: [HandleSuggestion]
  /// The one the keyboard is on.
  package private(set) var highlighted: Int?

  /// A list nobody has moved in.
  package init(_ items: [HandleSuggestion] = []) {
    self.items = items
  }

  /// The suggestion that would be submitted.
  package var chosen: HandleSuggestion? { highlighted.map { items[$0] } }

  /// Moves the keyboard; in an empty list nothing happens.
  package mutating func move(_ move: Move) {
    guard !items.isEmpty else { return }
    switch (move, highlighted) {
    case (.next, nil): highlighted = 0
    case (.next, let index?): highlighted = (index + 1) % items.count
    case (.previous, nil): highlighted = items.count - 1
    case (.previous, 0?): highlighted = nil
    case (.previous, let index?): highlighted = index - 1
    case (.none, _): highlighted = nil
    }
  }

  /// The list as shells see it, by DID.
  var map: OrderedMap<LoginSnapshot.Suggestion> {
    OrderedMap(
      items.map { item in
        let suggestion = LoginSnapshot.Suggestion(
          handle: item.handle.rawValue, displayName: item.displayName.map(AccountRecord.line),
          avatar: item.avatar.map { Media(uri: $0) })
        return (item.did.rawValue, suggestion)
      })
  }
}
