import StrictJSON

// How the service's JSON becomes values. Unknown members are ignored; ids may be text or number.

extension PlatriumSession {
  /// Reads `me`, or the same members of a token answer (there the kind is called `kind`).
  init?(_ json: JSONValue) {
    guard
      let id = json["user"]?["id"]?.identifier,
      let kind = (json["auth_kind"] ?? json["kind"])?.stringValue
    else { return nil }
    self.init(
      user: User(
        id: id, email: json["user"]?["email"]?.stringValue,
        name: json["user"]?["name"]?.stringValue),
      tenantID: json["tenant"]?["id"]?.identifier,
      tenantName: json["tenant"]?["name"]?.stringValue, kind: Kind(kind),
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
      let name = json["name"]?.stringValue
    else { return nil }
    self.init(
      id: id, kind: PlatriumSession.Kind(kind), name: name,
      platform: json["platform"]?.stringValue, appVersion: json["app_version"]?.stringValue,
      createdAt: json["created_at"]?.stringValue, lastUsedAt: json["last_used_at"]?.stringValue,
      pushTransport: json["push_transport"]?.stringValue,
      isCurrent: json["current"]?.boolValue ?? false)
  }
}

extension JSONValue {
  /// An id as text, whether the service wrote text or a whole number.
  fileprivate var identifier: String? {
    if let text = stringValue { return text.isEmpty ? nil : text }
    return intValue.map(String.init)
  }
}
