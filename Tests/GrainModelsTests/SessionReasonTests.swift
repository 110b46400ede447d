import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("Why the person is asked to sign in again")
struct SessionReasonTests {
  private func model() -> LoginModel {
    LoginModel(signIn: .unstubbed, operations: OperationCenter())
  }

  private func account() throws -> AccountRecord {
    AccountRecord(did: try DID("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"), handle: nil)
  }

  @Test("the sign-in screen says that the app was updated, until somebody is signed in (G64)")
  func permissionsChanged() throws {
    let login = model()
    #expect(login.snapshot.reason == nil)
    login.accountsChanged(AccountsState(session: .signedOut(.permissionsChanged)))
    let reason = login.snapshot.reason
    #expect(reason?.key == "session.permissionsChanged")
    #expect(
      reason?.fallback == "Grain was updated. Please sign in again to use its new features.")
    // A sign-in that was cancelled has changed nothing about it.
    login.accountsChanged(AccountsState(session: .authenticating(over: nil)))
    login.accountsChanged(AccountsState(session: .signedOut(nil)))
    #expect(login.snapshot.reason == reason)
    let account = try account()
    login.accountsChanged(
      AccountsState(session: .signedIn(account.id), accounts: [account], active: account.id))
    #expect(login.snapshot.reason == nil)
  }

  @Test("an ended session is told as such (G111)")
  func ended() {
    let login = model()
    login.accountsChanged(AccountsState(session: .signedOut(.ended(.refused))))
    #expect(login.snapshot.reason?.key == "session.ended")
  }
}
