import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import OpenSSLCrypto

/// Sign-in and accounts: the server answers only when a step says so.
@MainActor
final class AccountStage: Stage {
  let world: ModelWorld
  private var login: LoginModel { world.models.login }
  private var accounts: AccountListModel { world.models.accounts }

  init(
    _ stored: AccountsState, offers: [ProviderOffer]? = nil, canShowPages: Bool = true
  ) async throws {
    world = await ModelWorld(stored, offers: offers)
    if !canShowPages { world.models.login.shell = ShellDoor() }
    world.signIn.suggest([HandleSuggestion(did: .bob, handle: try Handle("bob.test"))], for: "b")
    await world.accounts.gate.shut()
  }

  var fingerprint: String {
    let (form, list) = (login.snapshot, accounts.snapshot)
    let entries = list.account.map { "\($0.value.standing) \($0.value.can.map(\.rawValue))" }
    return
      "\(form.phase) \(form.chosen ?? "") \(form.status) \(form.can.map(\.rawValue)) \(form.problem == nil) "
      + "\(list.phase) \(list.session) \(list.status) \(entries)"
  }

  // MARK: What happens

  private static let carol = "did:web:carol.test"

  static var events: [Step<AccountStage>] {
    [
      attempt("contacting") { await $0.signIn.step(.contacting(host: "pds.test")) },
      attempt("page") { await $0.signIn.step(.waitingForBrowser(.page)) },
      attempt("exchanging") { await $0.signIn.step(.exchanging) },
      ending("offline", .failure(.remote(.offline))),
      ending("denied", .failure(.denied)),
      Step(name: "signed in") { stage in
        guard let operation = stage.login.snapshot.operation else { return false }
        let account = try DID(carol).account
        if operation == stage.accounts.snapshot.operation {
          // It confirms a deletion, which now goes to the server.
          await stage.world.signIn.end(.success(.alice))
          await stage.world.accounts.gate.arrivals()
          await settle()
          return true
        }
        stage.world.accounts.change { state in
          if !state.accounts.contains(where: { $0.id == account }) {
            state.accounts.append(AccountRecord(id: account, handle: nil))
          }
          state.active = account
          state.session = .signedIn(account)
        }
        await stage.world.signIn.end(.success(account))
        _ = await stage.world.end(of: operation)
        await settle()
        return true
      },
      Step(name: "answer") { stage in
        guard let operation = stage.accounts.snapshot.operation,
          operation != stage.login.snapshot.operation
        else { return false }
        await stage.world.accounts.gate.open()
        _ = await stage.world.end(of: operation)
        await stage.world.accounts.gate.shut()
        await settle()
        return true
      },
      Step(name: "Bob's grant ends") { stage in
        guard stage.accounts.snapshot.account[DID.bob.rawValue]?.standing == .ok,
          stage.accounts.snapshot.operation == nil
        else { return false }
        stage.world.accounts.change { state in
          for index in state.accounts.indices where state.accounts[index].id == .bob {
            state.accounts[index].standing = .expired(.refused)
          }
        }
        await until { stage.accounts.snapshot.account[DID.bob.rawValue]?.standing == .expired }
        return true
      },
    ]
  }

  private static func attempt(
    _ name: String, _ act: @escaping @MainActor (ModelWorld) async -> Void
  ) -> Step<AccountStage> {
    Step(name: name) { stage in
      guard stage.login.snapshot.operation != nil else { return false }
      await act(stage.world)
      await settle()
      return true
    }
  }

  private static func ending(
    _ name: String, _ result: Result<AccountID, SignInError>
  ) -> Step<AccountStage> {
    Step(name: name) { stage in
      guard let operation = stage.login.snapshot.operation else { return false }
      await stage.world.signIn.end(result)
      _ = await stage.world.end(of: operation)
      await settle()
      return true
    }
  }

  // MARK: What is tried

  static var trials: [Trial<AccountStage>] {
    let form: [Trial<AccountStage>] = [
      trial(.loginStart) { try $0.login.start() },
      other(.platrium), other(.pixiv),
      trial(.loginSubmit) { stage in
        let isPixiv = stage.login.snapshot.chosen == "pixiv"
        let accepted = try stage.login.submit(
          server: isPixiv ? nil : "platrium.test", device: nil, consent: .browser)
        await stage.world.signIn.begun()
        return accepted
      },
      trial(.loginSubmitToken) { stage in
        let accepted = try stage.login.submitToken(
          server: "platrium.test", token: Secret(text: "plt_\(String(repeating: "1", count: 43))"))
        await stage.world.signIn.begun()
        return accepted
      },
      trial(.loginSetHandle) { stage in
        let accepted = try stage.login.setHandle("b")
        await until { !stage.login.snapshot.suggestion.isEmpty }
        return accepted
      },
      trial(.loginHighlight) { try $0.login.highlight(.next) },
      trial(.loginSubmitHandle) { stage in
        let accepted = try stage.login.submitHandle("dave.test")
        await stage.world.signIn.begun()
        return accepted
      },
      trial(.loginCreateAccount) { stage in
        let accepted = try stage.login.createAccount()
        await stage.world.signIn.begun()
        return accepted
      },
      trial(.loginCallback) { try $0.login.callback("com.example.grain:/callback?code=1") },
      trial(.loginCancel) { stage in
        let operation = stage.login.snapshot.operation
        let accepted = try stage.login.cancel()
        if operation != nil { _ = await stage.world.end(of: operation) }
        return accepted
      },
      trial(.loginDismissProblem) { try $0.login.dismissProblem() },
    ]
    let unlock = Trial<AccountStage>(
      name: IntentName.accountsUnlock.rawValue,
      isListed: { $0.accounts.snapshot.can.contains(.accountsUnlock) },
      send: { stage in
        let accepted = try stage.accounts.unlock()
        await stage.world.accounts.gate.arrivals()
        await settle()
        return accepted
      })
    return form + [unlock]
      + [AccountID.alice, .bob, .paula, .pia].flatMap { trials($0) }
  }

  /// Opening the form for another provider, where that is offered.
  private static func other(_ provider: AccountProvider) -> Trial<AccountStage> {
    Trial(
      name: "\(IntentName.loginStart.rawValue) \(provider.rawValue)",
      isListed: { stage in
        let form = stage.login.snapshot
        guard form.provider[provider.rawValue]?.available == true else { return nil }
        return form.can.contains(.loginStart)
      },
      send: { try $0.login.start(provider) })
  }

  private static func trials(_ account: AccountID) -> [Trial<AccountStage>] {
    let did = account.rawValue
    return [
      trial(.accountsSwitch, did) { stage in
        let accepted = try stage.accounts.activate(did)
        await stage.world.accounts.gate.arrivals()
        return accepted
      },
      trial(.accountsReauthenticate, did) { stage in
        let accepted = try stage.accounts.reauthenticate(did)
        await stage.world.signIn.begun()
        return accepted
      },
      trial(
        .accountsDelete, did,
        { stage in
          let accepted = try stage.accounts.delete(did, confirm: did)
          await stage.world.signIn.begun()
          return accepted
        }, isFollowed: { $0.accounts.snapshot.account.count == 1 }),
      trial(.accountsMove, did) { try await $0.accounts.move(did, before: nil) },
      trial(.accountsSignOut, did) { stage in
        let accepted = try stage.accounts.signOut(did, discardDrafts: false)
        await stage.world.accounts.gate.arrivals()
        return accepted
      },
    ]
  }

  private static func trial(
    _ intent: IntentName, _ account: String? = nil,
    _ send: @escaping @MainActor (AccountStage) async throws -> Accepted,
    isFollowed: @escaping @MainActor (AccountStage) -> Bool = { _ in true }
  ) -> Trial<AccountStage> {
    Trial(
      name: "\(intent.rawValue) \(account ?? "")",
      isListed: { stage in
        guard let account else { return stage.login.snapshot.can.contains(intent) }
        return stage.accounts.snapshot.account[account]?.can.contains(intent)
      },
      send: { stage in
        let accepted = try await send(stage)
        await settle()
        return accepted
      }, isFollowed: isFollowed)
  }
}
