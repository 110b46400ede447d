/// The list of accounts in memory, as the last transaction left it on disk: one change reads and
/// writes the rows it is about, however long the list is.
///
/// Rows carry a position with room between them, so that a move is one row as well.
struct AccountRoll: Equatable, Sendable {
  /// Room between two neighbours: so often can an account be moved into the same gap before all rows
  /// are numbered anew.
  private static let gap: Int64 = 1 << 32

  /// What is on disk of a new or moved account.
  enum Placing: Equatable, Sendable {
    case at(Int64)
    /// Every row has another position now.
    case renumbered
  }

  /// In the person's order.
  private(set) var accounts: [AccountRecord] = []
  /// Their positions on disk, ascending.
  private(set) var positions: [Int64] = []
  /// Who is active as the disk has it.
  var written: AccountID?
  /// How many rows were damaged when the disk was read.
  var damaged = 0

  /// Nobody.
  init() {}

  /// As read from the disk, in the order of the positions.
  init(accounts: [AccountRecord], positions: [Int64], written: AccountID?) {
    self.accounts = accounts
    self.positions = positions
    self.written = written
  }

  /// The active account: the chosen one while it has credentials, else the first that has.
  var active: AccountID? {
    if let written, record(written)?.hasCredentials == true { return written }
    return accounts.first(where: \.hasCredentials)?.id
  }

  /// What there is to show.
  var stored: AccountStore.Stored { AccountStore.Stored(accounts: accounts, active: active) }

  /// An account of the list.
  func record(_ id: AccountID) -> AccountRecord? { index(of: id).map { accounts[$0] } }

  /// Takes what is known of an account.
  ///
  /// - Returns: the position of one that is new; `nil` for a known one, which keeps its place.
  mutating func put(_ record: AccountRecord) -> Int64? {
    if let index = index(of: record.id) {
      accounts[index] = record
      return nil
    }
    let position = (positions.last ?? -Self.gap) + Self.gap
    accounts.append(record)
    positions.append(position)
    return position
  }

  /// Forgets an account.
  mutating func remove(_ id: AccountID) {
    guard let index = index(of: id) else { return }
    accounts.remove(at: index)
    positions.remove(at: index)
  }

  /// Moves an account in front of another, or to the end.
  ///
  /// - Returns: what has to be written; `nil` where nothing moves.
  mutating func move(_ id: AccountID, before other: AccountID?) -> Placing? {
    guard let from = index(of: id), id != other else { return nil }
    let record = accounts.remove(at: from)
    let old = positions.remove(at: from)
    let to = other.flatMap(index(of:)) ?? accounts.endIndex
    accounts.insert(record, at: to)
    guard to != from else {
      positions.insert(old, at: to)
      return nil
    }
    let lower = to == 0 ? nil : positions[to - 1]
    let upper = to == positions.endIndex ? nil : positions[to]
    if let position = Self.position(after: lower, before: upper) {
      positions.insert(position, at: to)
      return .at(position)
    }
    positions = accounts.indices.map { Int64($0) * Self.gap }
    return .renumbered
  }

  private static func position(after lower: Int64?, before upper: Int64?) -> Int64? {
    switch (lower, upper) {
    case (nil, nil): 0
    case (let lower?, nil): lower + gap
    case (nil, let upper?): upper - gap
    case (let lower?, let upper?): upper - lower < 2 ? nil : lower + (upper - lower) / 2
    }
  }

  private func index(of id: AccountID) -> Int? { accounts.firstIndex { $0.id == id } }
}
