/// How the Pixiv-like service is set up. The client's values are made up for this sandbox.
package struct PixivServiceSettings: Sendable {
  /// Names the client at the token endpoint.
  package var clientID = "sandbox-pixiv-client"
  /// Goes with it.
  package var clientSecret = "sandbox-pixiv-secret"
  /// Salts `X-Client-Hash`.
  package var hashSalt = "sandbox-pixiv-salt"
  /// How long a code is good for (FB-G2).
  package var codeLife = Duration.seconds(30)
  /// How long an access token is good for.
  package var accessLife = Duration.seconds(3600)
  /// How many works one page of a list has.
  package var pageSize = 3
  /// Who has an account.
  package var people = PixivPerson.standard

  /// The service as it starts by default.
  package init() {}
}

/// Somebody with an account at the Pixiv-like service.
package struct PixivPerson: Sendable, Equatable {
  /// Unique, and never changed; text in token answers, a number in the API.
  package var id: Int
  /// The name in addresses; typed on the login page.
  package var account: String
  /// What they call themselves.
  package var name: String
  /// Typed on the login page.
  package var password: String
  /// How many works they have published.
  package var works: Int

  /// Somebody with the password every example uses.
  package init(id: Int, account: String, name: String, password: String = "sandbox", works: Int) {
    self.id = id
    self.account = account
    self.name = name
    self.password = password
    self.works = works
  }

  /// Alice with more works than fit on two pages, Bob with none.
  package static let standard = [
    PixivPerson(id: 1001, account: "alice", name: "アリス", works: 7),
    PixivPerson(id: 1002, account: "bob", name: "Bob", works: 0),
  ]
}
