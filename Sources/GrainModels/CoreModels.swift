import ATSyntax
package import GrainServices
import GrainSnapshots

/// Every model of a running core, and the galleries that are open.
@MainActor
package final class CoreModels {
  /// The work that intents have started.
  package let operations: OperationCenter
  /// The sign-in screen.
  package let login: LoginModel
  /// The account list.
  package let accounts: AccountListModel
  /// The drafts of the active account.
  package let drafts: DraftListModel
  private let galleries: GalleryDoor
  private var open: [String: GalleryPublishModel] = [:]
  /// Hears of a gallery instance that is over, with the reason of `models/closed`.
  package var onClose: (_ draft: String, _ reason: String) -> Void = { _, _ in }

  /// The models over the services' doors.
  package init(signIn: SignInDoor, accounts: AccountsDoor, galleries: GalleryDoor) {
    operations = OperationCenter()
    login = LoginModel(signIn: signIn, operations: operations)
    self.accounts = AccountListModel(accounts: accounts, operations: operations, login: login)
    drafts = DraftListModel(galleries: galleries)
    self.galleries = galleries
    self.accounts.prepare = { [weak self] state in await self?.prepare(state) ?? {} }
    login.settle = { [weak accounts = self.accounts] change in
      guard let accounts else { return change() }
      await accounts.catchUp(then: change)
    }
  }

  /// Reads what is stored; no network is needed.
  package func begin() async {
    await accounts.begin()
  }

  /// The instance of a draft of the active account.
  ///
  /// - Throws: `gallery.draftUnknown` for a draft that is gone or belongs to somebody else.
  package func gallery(_ draft: String) async throws(IntentRejection) -> GalleryPublishModel {
    if let model = open[draft], model.repo == accounts.active { return model }
    let found: Draft?
    do throws(StoreFault) {
      found = try await galleries.draft(draft)
    } catch {
      throw IntentRejection(Problem(error))
    }
    if let model = open[draft], model.repo == accounts.active { return model }
    guard let found, found.repo == accounts.active else {
      throw IntentRejection(Problem(.galleryDraftUnknown, field: "/draft"))
    }
    return install(found)
  }

  /// Makes a draft and opens it.
  package func createDraft() async throws(IntentRejection) -> GalleryPublishModel {
    install(try await drafts.create())
  }

  /// Deletes a draft and closes its instance.
  package func discardDraft(_ draft: String) async throws(IntentRejection) -> Accepted {
    let accepted = try await gallery(draft).discard()
    close(draft, "gone")
    return accepted
  }

  private func install(_ draft: Draft) -> GalleryPublishModel {
    let model = GalleryPublishModel(draft: draft, galleries: galleries, operations: operations)
    model.onDraftChange = { [weak self] in await self?.drafts.reload() }
    open[draft.id] = model
    return model
  }

  private func close(_ draft: String, _ reason: String) {
    guard open.removeValue(forKey: draft) != nil else { return }
    onClose(draft, reason)
  }

  /// Reads the drafts of whoever is active now, to be shown together with the new state.
  private func prepare(_ state: AccountsState) async -> () -> Void {
    let reading = await drafts.read(state.active)
    return {
      self.drafts.show(reading)
      // Nothing of one identity is shown to another (A30): instances of others end here.
      for (draft, model) in self.open where model.repo != state.active {
        // A draft that is being sent goes on for its owner, unseen.
        self.close(draft, "signedOut")
      }
    }
  }
}
