import GrainSnapshots
import StrictJSON

/// The collections of a state as they were encoded last, so that an entry which is as it was costs a comparison
/// and no encoding: one photograph of a thousand is taken apart anew, and not the other 999.
///
/// Belongs to one model instance.
final class EncodedEntries: EntryWriter {
  private struct Known<Value> {
    let map: OrderedMap<Value>
    let json: JSONObject
  }
  private var collections: [String: Any] = [:]

  func write<Value: Encodable & Equatable>(
    _ map: OrderedMap<Value>, named name: String, to encoder: any Encoder
  ) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json(of: map, named: name))
  }

  /// The entries by key; those that have not changed are the very values that were given out before.
  func json<Value: Encodable & Equatable>(
    of map: OrderedMap<Value>, named name: String
  ) throws -> JSONObject {
    let known = collections[name] as? Known<Value> ?? Known(map: [:], json: [:])
    let isSameList = known.map.order == map.order
    var json = isSameList ? known.json : JSONObject()
    for (key, value) in map {
      if known.map[key] != value {
        json[key] = try JSONValueEncoder().encode(value)
      } else if !isSameList {
        json[key] = known.json[key]
      }
    }
    collections[name] = Known(map: map, json: json)
    return json
  }
}
