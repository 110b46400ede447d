import Testing

@testable import GrainServices

@Suite("Progress of publishing")
struct PublishProgressTests {
  @Test("half is preparing, half is uploading (grain-product §21)")
  func fractions() {
    #expect(PublishProgress.preparing(done: 4, of: 8).percent == 25)
    #expect(PublishProgress.uploading(done: 0, of: 8, sentBytes: 0, totalBytes: 80).percent == 50)
    #expect(PublishProgress.uploading(done: 8, of: 8, sentBytes: 80, totalBytes: 80).percent == 100)
    #expect(PublishProgress.committing.percent == 100)
    #expect(PublishProgress.preparing(done: 0, of: 0).percent == nil)
  }

  @Test("bytes move the bar between two photographs")
  func bytes() {
    #expect(
      PublishProgress.uploading(done: 0, of: 2, sentBytes: 40, totalBytes: 100).percent == 70)
  }
}
