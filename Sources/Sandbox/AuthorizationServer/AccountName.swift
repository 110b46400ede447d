/// What people type into the handle field, made into what the directory looks up.
enum AccountName {
  /// The handle, DID or e-mail address meant; `domain`, `.test` for example, completes a bare name.
  static func normal(_ typed: String, domain: String?) -> String {
    let visible = typed.filter { !$0.isWhitespace }
    if visible.hasPrefix("did:") { return visible }
    let name = (visible.hasPrefix("@") ? String(visible.dropFirst()) : visible).lowercased()
    guard let domain, !name.isEmpty, !name.contains("."), !name.contains("@") else { return name }
    return name + domain
  }
}

extension AccountCreationError {
  /// What the page says about it.
  var words: String {
    switch self {
    case .invalidHandle(let handle):
      "“\(handle)” cannot be a handle. Use letters, digits and hyphens."
    case .handleNotAvailable(let handle): "“\(handle)” is taken. Try another handle."
    case .unsupportedDomain(let handle):
      "“\(handle)” does not end in a name this server gives out."
    case .directoryUnavailable:
      "The account could not be registered just now. Try again in a moment."
    }
  }
}
