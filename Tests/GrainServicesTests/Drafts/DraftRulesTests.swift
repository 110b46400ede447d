import ATSyntax
import Foundation
import GrainServices
import Testing

@Suite("What a draft must satisfy before anything is sent")
struct DraftRulesTests {
  private func refusal(_ edit: (inout Draft) -> Void) -> PublishError? {
    var draft = Draft(
      id: "d", repo: AccountsWorld.alice, createdAt: .init(.init(timeIntervalSince1970: 0)))
    draft.title = "Harbour"
    draft.photoOrder = ["p"]
    edit(&draft)
    do throws(PublishError) {
      try DraftRules(limits: CoreConfiguration.PublishLimits()).check(draft)
      return nil
    } catch {
      return error
    }
  }

  @Test("a title and a photograph are enough")
  func enough() {
    #expect(refusal { _ in } == nil)
  }

  @Test("no photograph, or more than the limit, is refused with the limit named (FB-D13)")
  func photos() {
    #expect(refusal { $0.photoOrder = [] } == .noPhotos)
    #expect(refusal { $0.photoOrder = (1...20).map(String.init) } == nil)
    #expect(
      refusal { $0.photoOrder = (1...21).map(String.init) }
        == .tooManyPhotos(count: 21, limit: 20))
  }

  @Test("a title of blanks is no title")
  func title() {
    #expect(refusal { $0.title = " \n\t\u{3000}" } == .titleMissing)
  }

  @Test("lengths count UTF-8 bytes, without blanks around (G118)")
  func lengths() {
    #expect(refusal { $0.title = String(repeating: "a", count: 100) + "  " } == nil)
    #expect(
      refusal { $0.title = String(repeating: "港", count: 40) }
        == .titleTooLong(bytes: 120, limit: 100))
    #expect(refusal { $0.description = String(repeating: "é", count: 500) } == nil)
    #expect(
      refusal { $0.description = String(repeating: "é", count: 501) }
        == .textTooLong(bytes: 1002, limit: 1000))
  }
}
