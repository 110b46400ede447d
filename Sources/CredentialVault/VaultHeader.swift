import OpenSSLCrypto
import SQLiteDatabase
import SystemClients

/// The one row that says who holds the key of this vault, and carries the data key wrapped with it.
struct VaultHeader: Equatable {
  /// The vault's own id, under which a provider keeps the key.
  let vault: String
  /// The provider's name.
  let provider: String
  let salt, nonce, wrapped: [UInt8]

  /// A header for a new data key.
  init(
    vault: String, provider: String, dataKey: Secret, wrappedWith key: Secret, random: SystemRandom
  ) throws(VaultError) {
    self.vault = vault
    self.provider = provider
    salt = random.bytes(16)
    nonce = random.bytes(AES256GCM.nonceLength)
    do {
      // The salt makes the wrapping key fresh, so this nonce is the first it sees.
      wrapped = try AES256GCM.seal(
        dataKey, key: Self.wrappingKey(key, salt), nonce: nonce,
        associatedData: Self.associatedData(vault, provider))
    } catch {
      throw .other("the data key could not be wrapped")
    }
  }

  /// The data key; `VaultError.wrongKey` if this is not what it was wrapped with.
  func dataKey(unwrappedWith key: Secret) throws(VaultError) -> Secret {
    do {
      return try AES256GCM.open(
        wrapped, key: Self.wrappingKey(key, salt), nonce: nonce,
        associatedData: Self.associatedData(vault, provider))
    } catch {
      throw .wrongKey(provider: provider)
    }
  }

  /// The header in a store.
  init?(on connection: SQLiteConnection) throws(VaultError) {
    let rows = try VaultError.translating { () throws(SQLiteError) in
      try connection.query("SELECT vault, provider, salt, nonce, wrapped FROM vault_key")
    }
    guard let row = rows.first else { return nil }
    guard let vault = row.text("vault"), let provider = row.text("provider"),
      let salt = row.blob("salt"), let nonce = row.blob("nonce"), let wrapped = row.blob("wrapped")
    else { throw .corrupt("the vault's key row is damaged") }
    self.vault = vault
    self.provider = provider
    self.salt = salt
    self.nonce = nonce
    self.wrapped = wrapped
  }

  /// Records a new header; one that is there already is never replaced.
  func store(on connection: SQLiteConnection) throws(SQLiteError) {
    try connection.execute(
      "INSERT INTO vault_key(id, vault, provider, salt, nonce, wrapped) VALUES(1, ?, ?, ?, ?, ?)",
      [.text(vault), .text(provider), .blob(salt), .blob(nonce), .blob(wrapped)])
  }

  /// Takes the place of the header that is there; no other row changes.
  func replace(on connection: SQLiteConnection) throws(SQLiteError) {
    try connection.execute(
      "UPDATE vault_key SET vault = ?, provider = ?, salt = ?, nonce = ?, wrapped = ? WHERE id = 1",
      [.text(vault), .text(provider), .blob(salt), .blob(nonce), .blob(wrapped)])
  }

  private static func wrappingKey(_ key: Secret, _ salt: [UInt8]) throws(CryptoError) -> Secret {
    try HKDF.sha256(
      input: key, salt: salt, info: Array("grain-core vault key".utf8),
      length: AES256GCM.keyLength)
  }

  private static func associatedData(_ vault: String, _ provider: String) -> [UInt8] {
    BoundText.bytes(["grain-core vault 1", vault, provider])
  }
}
