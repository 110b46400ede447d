/// What every model's state document has, whatever else it holds (bridge-protocol §4.1).
///
/// A snapshot is the whole state of one screen and holds no `null`: what is absent is left out.
package protocol ModelSnapshot: Codable, Hashable, Sendable {
  /// The precise state, written as text; shells fall back to ``status`` for one they do not know.
  associatedtype Phase: RawRepresentable<String> & CaseIterable & Codable & Sendable

  /// The name shells subscribe to, such as `login`.
  static var model: String { get }
  /// The id of the state's schema below the schema root, such as `v1/models/login.json`.
  static var schema: String { get }

  /// The coarse state.
  var status: ModelStatus { get }
  /// The precise state.
  var phase: Phase { get }
  /// The intents accepted now; any other is refused with `intent.notAvailable`.
  var can: [IntentName] { get }
  /// The id of the running operation this model shows.
  var operation: String? { get }
  /// The last failure that was not dismissed yet.
  var problem: Problem? { get }
}
