import ATSyntax
package import GrainServices
import GrainSnapshots

/// Every model of a running core, and the galleries that are open.
@MainActor
package final class CoreModels {
  /// Why a gallery's instance is over for its shells.
  package enum Closing: Equatable, Sendable {
    /// The draft is no more.
    case gone
    /// The gallery is published; the last state says so, and is to be seen before the end.
    case published
    /// Another account is shown now (A30).
    case hidden
    /// Its account is signed out.
    case signedOut
  }

  /// The work that intents have started.
  package let operations: OperationCenter
  /// The sign-in screen.
  package let login: LoginModel
  /// The account list.
  package let accounts: AccountListModel
  /// The drafts of the active account.
  package let drafts: DraftListModel
  let galleries: GalleryDoor
  let devices: DevicesDoor
  /// The open lists of devices and apps (`CoreModels+Devices`).
  var deviceLists: [AccountID: DeviceListModel] = [:]
  /// Hears of a list of devices and apps that is over: its account is gone, or no longer shown (A30).
  package var onDevicesClose: (_ account: AccountID) -> Void = { _ in }
  /// Galleries that are being deleted, with the operations that do it.
  var deleting: [ATURI: String] = [:]
  /// One model for each draft that was opened, until the draft is no more, whoever is active.
  private var known: [String: GalleryPublishModel] = [:]
  /// The drafts whose model somebody may look at.
  private var shown: Set<String> = []
  /// Continues interrupted publishes (`CoreModels+Resume`).
  var resuming: Task<Void, Never>?
  /// Whether interrupted publishes are continued by themselves.
  var resumes = false
  /// Whether somebody asked for another round while one runs.
  var resumesAgain = false
  private var onBegun: @MainActor () -> Void = {}
  /// What fits into the shell's messages; set at `initialize`.
  package var budget = StateBudget()
  /// Hears of a gallery instance that is over.
  package var onClose: (_ draft: String, _ reason: Closing) -> Void = { _, _ in }

  /// The models over the services' doors.
  package init(
    signIn: SignInDoor, accounts: AccountsDoor, galleries: GalleryDoor,
    devices: DevicesDoor = DevicesDoor()
  ) {
    operations = OperationCenter()
    login = LoginModel(signIn: signIn, operations: operations)
    self.accounts = AccountListModel(accounts: accounts, operations: operations, login: login)
    drafts = DraftListModel(galleries: galleries)
    self.galleries = galleries
    self.devices = devices
    self.accounts.prepare = { [weak self] state in await self?.prepare(state) ?? {} }
    self.accounts.budget = { [weak self] in self?.budget ?? StateBudget() }
    drafts.budget = { [weak self] in self?.budget ?? StateBudget() }
    login.settle = { [weak accounts = self.accounts] change in
      guard let accounts else { return change() }
      await accounts.catchUp(then: change)
    }
  }

  /// Reads what is stored; no network is needed.
  package func begin() async {
    await accounts.begin()
    await login.resumeLeft()
    onBegun()
  }

  /// Calls back once what is stored has been read: a sign-in that an earlier run left is waited for
  /// from then on.
  package func whenBegun(_ act: @escaping @MainActor () -> Void) { onBegun = act }

  /// The program is about to end: what the next run can go on with is left to it.
  package func leave() async {
    await login.leave()
  }

  /// The instance of a draft of the active account: the same one as long as the draft lives.
  ///
  /// - Throws: `gallery.draftUnknown` for a draft that is gone or belongs to somebody else.
  package func gallery(_ draft: String) async throws(IntentRejection) -> GalleryPublishModel {
    let model = try await model(of: draft)
    shown.insert(draft)
    return model
  }

  /// The model of a draft of the active account, which nobody looks at yet.
  func model(of draft: String) async throws(IntentRejection) -> GalleryPublishModel {
    var found: Draft?
    if known[draft] == nil {
      do throws(StoreFault) {
        found = try await galleries.draft(draft)
      } catch {
        throw IntentRejection(Problem(error))
      }
    }
    // Somebody else may have opened it meanwhile.
    let repo = known[draft]?.repo ?? found?.repo
    guard let active = accounts.activeRepo, repo == active,
      let model = known[draft] ?? found.map(install)
    else { throw IntentRejection(Problem(.galleryDraftUnknown, field: "/draft")) }
    return model
  }

  /// Makes a draft and opens it.
  ///
  /// - Throws: `intent.stale` when another account became active meanwhile; no draft is left then.
  package func createDraft() async throws(IntentRejection) -> GalleryPublishModel {
    let draft = try await drafts.create()
    shown.insert(draft.id)
    return known[draft.id] ?? install(draft)
  }

  /// Deletes a draft and closes its instance.
  package func discardDraft(_ draft: String) async throws(IntentRejection) -> Accepted {
    let accepted = try await gallery(draft).discard()
    close(draft, .gone)
    return accepted
  }

  func install(_ draft: Draft) -> GalleryPublishModel {
    let model = GalleryPublishModel(draft: draft, galleries: galleries, operations: operations)
    model.onDraftChange = { [weak self] in await self?.drafts.reload() }
    model.onPublished = { [weak self] in self?.close(draft.id, .published) }
    model.budget = { [weak self] in self?.budget ?? StateBudget() }
    model.nameOfAccount = { [weak accounts] did in accounts?.name(of: did.account) ?? did.rawValue }
    known[draft.id] = model
    return model
  }

  func close(_ draft: String, _ reason: Closing) {
    known[draft] = nil
    if shown.remove(draft) != nil { onClose(draft, reason) }
  }

  /// Closes the models of an account's drafts that are no longer on disk.
  func closeMissing(_ reading: DraftListModel.Reading) {
    guard let ids = reading.ids else { return }
    for (draft, model) in known
    where model.repo == reading.owner && !ids.contains(draft) && !model.isBusy {
      close(draft, .gone)
    }
  }

  /// Reads the drafts of whoever is active now, to be shown together with the new state.
  private func prepare(_ state: AccountsState) async -> () -> Void {
    let returns = accounts.returns(state)
    let reading = await drafts.read(state.active?.did)
    return {
      self.drafts.show(reading)
      // Nothing of one identity is shown to another (A30): what others look at ends here. The model
      // lives on; a draft that is being sent goes on for its owner, unseen.
      for draft in self.shown where self.known[draft]?.repo != state.active?.did {
        self.shown.remove(draft)
        let owner = self.known[draft]?.repo
        let isSignedIn = state.accounts.contains { $0.id.did == owner && $0.hasCredentials }
        self.onClose(draft, isSignedIn ? .hidden : .signedOut)
      }
      self.closeDevices(but: state)
      self.closeMissing(reading)
      if returns { self.resume() }
    }
  }
}
