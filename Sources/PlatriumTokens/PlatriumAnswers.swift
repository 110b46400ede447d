import HTTPTransport
import StrictJSON

// How the service's JSON becomes values. Unknown members are ignored; ids may be text or number.
// A service is whoever the person named: its names are cut to what can be shown, its ids to what can be kept.

extension PlatriumSession {
  /// Reads `me`, or the same members of a token answer (there the kind is called `kind`).
  init?(_ json: JSONValue) {
    guard
      let id = json["user"]?["id"]?.identifier,
      let kind = (json["auth_kind"] ?? json["kind"])?.stringValue
    else { return nil }
    self.init(
      user: User(
        id: id, email: json["user"]?["email"]?.name, name: json["user"]?["name"]?.name),
      tenantID: json["tenant"]?["id"]?.identifier, tenantName: json["tenant"]?["name"]?.name,
      kind: Kind(kind),
      deviceID: json["device_id"]?.identifier)
  }
}

extension IssuedPlatriumToken {
  /// Reads the answer to a code.
  init?(_ json: JSONValue) {
    guard let text = json["token"]?.stringValue, let session = PlatriumSession(json) else {
      return nil
    }
    do {
      token = try PlatriumToken(text)
    } catch {
      return nil
    }
    clientID = json["client_id"]?.identifier
    self.session = session
  }
}

extension PlatriumClientEntry {
  init?(_ json: JSONValue) {
    guard
      let id = json["id"]?.identifier, let kind = json["kind"]?.stringValue,
      let name = json["name"]?.name
    else { return nil }
    self.init(
      id: id, kind: PlatriumSession.Kind(kind), name: name,
      platform: json["platform"]?.name, appVersion: json["app_version"]?.name,
      createdAt: json["created_at"]?.name, lastUsedAt: json["last_used_at"]?.name,
      pushTransport: json["push_transport"]?.name,
      isCurrent: json["current"]?.boolValue ?? false)
  }
}

extension JSONValue {
  /// An id as text, whether the service wrote text or a whole number.
  fileprivate var identifier: String? {
    if let text = stringValue { return (1...200).contains(text.utf8.count) ? text : nil }
    return intValue.map(String.init)
  }

  /// A name for people.
  fileprivate var name: String? { stringValue.map(ServerText.name) }
}
