package import GrainModels
package import GrainServices
package import GrainSnapshots
package import Testing

/// The models of a core over scripted services: all that a test of a model needs.
///
/// ```swift
/// let world = await ModelWorld(.nobody)
/// let screen = world.follow { $0.login.snapshot }
/// await screen.expectSnapshots(
///   after: { try world.models.login.start() },
///   {
///     $0.phase = .enteringHandle
///     $0.can = [.loginSetHandle, .loginSubmitHandle, .loginCreateAccount, .loginCancel]
///   })
/// ```
@MainActor
package final class ModelWorld {
  /// The sign-in service, which does what the test says.
  package let signIn = ScriptedSignIn()
  /// The accounts.
  package let accounts: ScriptedAccounts
  /// The time of drafts; it stands still until it is told to move.
  package let clock = TestClock()
  /// Drafts and the publisher.
  package let galleries: ScriptedGalleries
  /// The devices and apps of Platrium accounts.
  package let devices = ScriptedDevices()
  /// The models.
  package let models: CoreModels
  /// The ends of operations, in order.
  package let endings = Recorder<OperationCenter.Ending>()

  /// Models that have read what is stored, with a shell that can show pages.
  package init(
    _ stored: AccountsState = .alice,
    offers: [ProviderOffer]? = nil,
    drafts: (ScriptedGalleries) -> Void = { _ in }
  ) async {
    accounts = ScriptedAccounts(stored: stored)
    galleries = ScriptedGalleries(clock: clock)
    drafts(galleries)
    if let offers { signIn.offers = offers }
    models = CoreModels(
      signIn: signIn.door, accounts: accounts.door, galleries: galleries.door,
      devices: devices.door)
    models.login.shell = ShellDoor(
      abilities: ShellAbilities(effects: ["auth.present"], presentations: ["webview"]),
      present: { _ in .presented })
    models.operations.onEnd = { [endings] in endings.record($0) }
    await models.begin()
  }

  /// Follows one of the models.
  package func follow<Snapshot: ModelSnapshot>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ read: @escaping @MainActor (CoreModels) -> Snapshot
  ) -> SnapshotFollower<Snapshot> {
    SnapshotFollower(sourceLocation: sourceLocation) { [models] in read(models) }
  }

  /// Returns once an operation has ended, with how it came out.
  package func end(of operation: String?) async -> OperationCenter.Outcome? {
    await endings.wait { $0.contains { $0.operation == operation } }
    return endings.values.last { $0.operation == operation }?.outcome
  }
}
