/// How the Platrium-like service is set up.
package struct TokenServiceSettings: Sendable {
  /// Schemes of apps of its own (P19).
  package var appSchemes = ["platrium"]
  /// `AUTH_NATIVE_HTTPS_REDIRECTS`: https addresses that answers may go to, and what lies below them (P21).
  package var httpsRedirects = ["https://app.platrium.test/signed-in"]
  /// How long a code is good for (P16).
  package var codeLife = Duration.seconds(300)
  /// How many requests for a token one address may make in ``tokenWindow`` (P33).
  package var tokenRequests = 30
  /// See ``tokenRequests``.
  package var tokenWindow = Duration.seconds(60)
  /// Who has an account.
  package var people = TokenServicePerson.standard

  /// The service as it starts by default.
  package init() {}
}

/// Somebody with an account at the service.
package struct TokenServicePerson: Sendable, Equatable {
  /// Unique, and never changed.
  package var id: String
  /// Typed on the login page.
  package var email: String
  /// What they call themselves.
  package var name: String
  /// Typed on the login page.
  package var password: String
  /// The id of the tenant their sessions act in.
  package var tenantID: String
  /// What the tenant is called.
  package var tenantName: String

  /// Somebody with the password every example uses.
  package init(
    id: String, email: String, name: String, password: String = "sandbox", tenantID: String,
    tenantName: String
  ) {
    self.id = id
    self.email = email
    self.name = name
    self.password = password
    self.tenantID = tenantID
    self.tenantName = tenantName
  }

  /// Alice and Bob, in tenants of their own.
  package static let standard = [
    TokenServicePerson(
      id: "usr_alice", email: "alice@example.com", name: "Alice", tenantID: "tnt_harbour",
      tenantName: "Harbour"),
    TokenServicePerson(
      id: "usr_bob", email: "bob@example.com", name: "Bob", tenantID: "tnt_lighthouse",
      tenantName: "Lighthouse"),
  ]
}
