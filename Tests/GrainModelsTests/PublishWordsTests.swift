import ATSyntax
import Foundation
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@Suite("What is said when a gallery is not up yet (§12, Messages)")
struct PublishWordsTests {
  private static let remote: [RemoteFault] = [
    .offline, .timeout(host: "pds.test"), .unreachable(host: "pds.test"),
    .dropped(host: "pds.test"), .tls(host: "pds.test"),
    .server(host: "pds.test", detail: nil, retryAfter: nil),
    .rateLimited(host: "pds.test", retryAfter: .seconds(3)),
    .badResponse(host: "pds.test", detail: "no JSON"),
  ]
  private static let stores: [StoreFault] = [
    .locked(holder: 7), .corrupt("page 3"), .full, .unwritable("read-only"),
    .newer(found: 9, known: 2), .keyLocked, .keyUnavailable("the key file is gone"),
  ]
  private static let calls: [CallFault] =
    remote.map { .remote($0) } + stores.map { .store($0) } + [
      .sessionExpired(.alice), .scopeMissing(.alice, scope: "blob:*/*"),
      .accountInactive("deactivated"),
      .refused(status: 400, error: "InvalidRequest", message: "the title is bad"),
    ]
  private static let photos: [PhotoFailure] = [
    .unreadable, .notAPicture(found: "text"), .unsupported(kind: "gif"),
    .conversionWithoutTool(kind: "heif"), .damaged, .tooLarge(bytes: 9, width: 3, height: 3),
    .sourceTooLarge(limit: 200_000_000), .toolFailed(tool: "vips", detail: "no"),
  ]
  private static var errors: [PublishError] {
    calls.map { .upload(number: 3, id: "p3", $0) } + calls.map { .commit($0) }
      + stores.map { .store($0) } + photos.map { .photo(number: 3, id: "p3", $0) }
  }

  @Test("a store that some program holds is not said to be held by the app itself (FB-E1)")
  func heldStore() {
    let busy = Problem(StoreFault.locked(holder: nil))
    #expect(busy.kind == .storeLocked)
    #expect(busy.retryable)
    #expect(busy.message.fallback.contains("Another program"))
    #expect(busy.message.fallback.contains("Nothing was lost"))
    let core = Problem(StoreFault.locked(holder: 7))
    #expect(core.message.fallback.contains("already running"))
    #expect(core.details?["processId"] == .integer(7))
  }

  private func words(_ error: PublishError) -> String {
    Problem(error, name: { "\($0).jpg" }, account: "@alice.test").message.fallback
  }

  @Test("every failure says what happened, that the draft is kept, and what to do")
  func kept() {
    for error in Self.errors {
      let words = words(error)
      let parts = words.components(separatedBy: "The draft is kept")
      #expect(parts.count == 2, "\(error): \(words)")
      #expect(parts[0].count > 15, "says what happened: \(words)")
      #expect((parts.last?.count ?? 0) > 10, "says what to do: \(words)")
      #expect(words.hasSuffix("."))
      #expect(!words.contains("{") && !words.contains("…"), "a parameter is missing: \(words)")
    }
  }

  @Test("offline, dropped, signed out, rate limited, server fault and refused read differently")
  func distinct() {
    for errors in [
      Self.calls.map { PublishError.commit($0) },
      Self.photos.map { .photo(number: 1, id: "p", $0) },
    ] {
      #expect(Set(errors.map(words)).count == errors.count)
    }
  }

  @Test("an account is called by its handle, never by its DID")
  func handle() {
    for error in Self.errors { #expect(!words(error).contains("did:"), "\(words(error))") }
    #expect(words(.commit(.sessionExpired(.alice))).contains("@alice.test"))
    #expect(words(.commit(.scopeMissing(.alice, scope: "x"))).contains("@alice.test"))
  }

  @Test("a picture that stops a publish is named by its number and its file")
  func number() {
    for failure in Self.photos {
      #expect(words(.photo(number: 3, id: "p3", failure)).hasPrefix("Photo 3 (p3.jpg) "))
    }
    #expect(
      Problem(PhotoFailure.damaged, name: "p3.jpg").message.fallback
        == "p3.jpg is damaged and cannot be published. Choose another copy.")
  }
}
