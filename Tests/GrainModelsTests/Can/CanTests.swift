import ATSyntax
import Foundation
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("can says what the next intent gets", .timeLimit(.minutes(5)))
struct CanTests {
  /// What the accounts are at first, and whether the shell can show a sign-in page.
  struct Beginning: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let accounts: AccountsState
    var offers: [ProviderOffer]?
    var canShowPages = true

    static let all = [
      Beginning(testDescription: "nobody is signed in", accounts: .nobody),
      Beginning(testDescription: "one account", accounts: .alice),
      Beginning(testDescription: "two accounts", accounts: .both),
      Beginning(
        testDescription: "two accounts, and no way to show a page", accounts: .both,
        canShowPages: false),
      Beginning(
        testDescription: "three providers, and nobody signed in", accounts: .nobody,
        offers: ProviderOffer.all),
      Beginning(
        testDescription: "an account of each provider", accounts: .three,
        offers: ProviderOffer.all),
      Beginning(
        testDescription: "three providers, and no way to show a page", accounts: .three,
        offers: ProviderOffer.all, canShowPages: false),
      Beginning(
        testDescription: "the key store is locked",
        accounts: AccountsState(accounts: AccountsState.both.accounts, fault: .keyLocked)),
    ]
  }

  /// Two steps from each beginning while everything else is tested; three, which takes half a minute of
  /// the main actor, where the machine is ours (`GRAIN_ALONE=1`).
  private static let deepest = ProcessInfo.processInfo.environment["GRAIN_ALONE"] == nil ? 2 : 3

  @Test(
    "in every state of sign-in and accounts near by exactly what is listed is accepted",
    arguments: Beginning.all)
  func accounts(_ beginning: Beginning) async throws {
    let states = try await Walk(
      begin: {
        try await AccountStage(
          beginning.accounts, offers: beginning.offers, canShowPages: beginning.canShowPages)
      }, events: AccountStage.events, trials: AccountStage.trials, deepest: Self.deepest
    ).run()
    print("\(beginning.testDescription): \(states.count) states")
    if beginning.accounts == .nobody, Self.deepest > 2 {
      for phase in LoginSnapshot.Phase.allCases {
        #expect(states.contains { $0.hasPrefix(phase.rawValue) }, "\(phase) was never reached")
      }
    }
  }

  /// How a draft is found on disk.
  struct Found: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fill: @Sendable (inout Draft) -> Void

    static let all = [
      Found(testDescription: "an empty draft") { _ in },
      Found(testDescription: "a draft that can be sent") { $0.fill("Lake", photos: ["p1"]) },
      Found(testDescription: "a draft whose publish was interrupted") {
        $0.fill("Lake", photos: ["p1"])
        $0.sending = .known
      },
      Found(testDescription: "a draft whose commit may have landed") {
        $0.fill("Lake", photos: ["p1"])
        $0.sending = .known
        $0.sending?.unansweredCommits = 1
      },
    ]
  }

  @Test("in each state of a draft near by exactly what is listed is accepted", arguments: Found.all)
  func drafts(_ found: Found) async throws {
    let states = try await Walk(
      begin: { try await GalleryStage(found.fill) }, events: GalleryStage.events,
      trials: GalleryStage.trials
    ).run()
    print("\(found.testDescription): \(states.count) states")
    if found.testDescription == "a draft that can be sent" {
      for phase in ["editing", "uploading", "committing", "published", "failed"] {
        #expect(states.contains { $0.hasPrefix(phase) }, "\(phase) was never reached")
      }
    }
  }

  @Test(
    "in each state of a list of devices exactly what is listed is accepted (P7)",
    arguments: [DeviceEntry.Kind.device, .app])
  func devices(_ own: DeviceEntry.Kind) async throws {
    let states = try await Walk(
      begin: {
        try await DeviceStage(
          own: DeviceEntry(id: "c-1", kind: own, name: "Desk", isCurrent: true))
      }, events: DeviceStage.events, trials: DeviceStage.trials
    ).run()
    print("a list of an \(own): \(states.count) states")
    for phase in DeviceListSnapshot.Phase.allCases {
      #expect(states.contains { $0.hasPrefix(phase.rawValue) }, "\(phase) was never reached")
    }
  }

  @Test("every intent of the registry is tried")
  func complete() {
    let tried = Set(
      (AccountStage.trials.map(\.name) + GalleryStage.trials.map(\.name)
        + DeviceStage.trials.map(\.name)).map {
          $0.split(separator: " ")[0]
        })
    let known = Set(IntentName.allCases.map(\.rawValue))
      // Of galleries that are up, not of a draft: no list of a state names them.
      .subtracting(["shell.setVisibility", "gallery.editPublished", "gallery.deletePublished"])
    #expect(Set(tried.map(String.init)) == known)
  }
}
