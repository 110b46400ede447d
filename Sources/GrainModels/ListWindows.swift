import GrainServices
import GrainSnapshots

// Lists that have outgrown the shell's messages show their first entries and say how many there are.
// What an entry takes is reckoned from its texts, and never less than it is.

extension AccountListSnapshot {
  /// Apart from the accounts: a problem and a reason that name one, which take the most.
  private static let frame = 12_288

  /// Shows the accounts that fit, the active one among them.
  mutating func show(_ accounts: [(key: String, value: Account)], within budget: StateBudget) {
    let active = active.flatMap { active in accounts.firstIndex { $0.key == active } }
    let shown = budget.window(
      accounts.map { $0.value.bytes(under: $0.key) }, keeping: active, frame: Self.frame)
    for place in shown { account[accounts[place].key] = accounts[place].value }
    accountCount = shown.count < accounts.count ? accounts.count : nil
  }
}

extension AccountListSnapshot.Account {
  private static let frame = 192

  fileprivate func bytes(under key: String) -> Int {
    let names = unavailable + can.map(\.rawValue)
    let texts = [key, key, provider, handle, displayName, avatar?.uri].compactMap(\.self)
    return Self.frame + names.reduce(0) { $0 + $1.utf8.count + 3 }
      + texts.reduce(0) { $0 + StateBudget.bytes(of: $1) }
  }
}

extension DraftListSnapshot {
  private static let frame = 4_096
  private static let draftFrame = 224

  /// Shows the drafts that fit.
  mutating func show(_ drafts: [(key: String, value: Draft)], within budget: StateBudget) {
    let sizes = drafts.map { key, value in
      Self.draftFrame + 2 * StateBudget.bytes(of: key) + StateBudget.bytes(of: value.title)
    }
    let shown = budget.window(sizes, frame: Self.frame)
    for place in shown { draft[drafts[place].key] = drafts[place].value }
    draftCount = shown.count < drafts.count ? drafts.count : nil
  }
}

extension DeviceListSnapshot {
  /// Apart from the entries: a problem that names the account and repeats what the service said.
  private static let frame = 8_192
  private static let clientFrame = 256

  /// Shows the devices and apps that fit, this one among them.
  mutating func show(_ clients: [(key: String, value: Client)], within budget: StateBudget) {
    let sizes = clients.map { key, value in
      Self.clientFrame
        + [key, key, value.name, value.platform ?? ""].reduce(0) { $0 + StateBudget.bytes(of: $1) }
    }
    let shown = budget.window(
      sizes, keeping: clients.firstIndex { $0.value.current }, frame: Self.frame)
    for place in shown { client[clients[place].key] = clients[place].value }
    clientCount = shown.count < clients.count ? clients.count : nil
  }
}
