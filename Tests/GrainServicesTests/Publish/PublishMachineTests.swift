import Testing

@testable import GrainServices

@Suite("The order of publishing")
struct PublishMachineTests {
  private func machine(
    photos: [String] = ["a", "b", "c"], unprepared: [String] = [], waiting: [String]? = nil,
    width: Int = 2, attempted: Bool = false, committed: Bool = false
  ) -> PublishMachine {
    PublishMachine(
      photos: photos, unprepared: unprepared, waiting: waiting ?? photos, parallelUploads: width,
      attemptedBefore: attempted, committed: committed)
  }

  @Test("prepares one by one, uploads a few at a time, commits once, then tells the AppView")
  func wholeStory() {
    var machine = machine(unprepared: ["b"])
    #expect(machine.start() == [.prepare(photo: "b")])
    #expect(machine.take(.prepared(photo: "b")) == [.upload(photo: "a"), .upload(photo: "b")])
    #expect(machine.take(.uploaded(photo: "b")) == [.upload(photo: "c")])
    #expect(machine.take(.uploaded(photo: "a")) == [])
    #expect(machine.take(.uploaded(photo: "c")) == [.commit])
    #expect(machine.take(.committed) == [.index])
    #expect(machine.take(.indexed) == [.finish])
  }

  @Test("what is uploaded is not uploaded again (FB-D10)")
  func resumesUploads() {
    var machine = machine(waiting: ["c"])
    #expect(machine.start() == [.upload(photo: "c")])
    #expect(machine.uploadedCount == 2)
  }

  @Test(
    "after an earlier commit the server is asked first, and a landed one is only indexed (G108)")
  func asksBeforeRepeating() {
    var machine = machine(waiting: [], attempted: true)
    #expect(machine.start() == [.checkLanded])
    #expect(machine.take(.landed(true)) == [.index])
  }

  @Test("a commit that did not land is sent again")
  func repeatsWhatDidNotLand() {
    var machine = machine(waiting: [], attempted: true)
    #expect(machine.start() == [.checkLanded])
    #expect(machine.take(.landed(false)) == [.commit])
  }

  @Test("every failed commit is followed by a landing check, and four is enough")
  func boundedCommits() {
    var machine = machine(waiting: [])
    #expect(machine.start() == [.commit])
    for attempt in 1...4 {
      #expect(machine.take(.commitFailed(mayRetry: true)) == [.checkLanded])
      #expect(machine.take(.landed(false)) == (attempt < 4 ? [.commit] : [.stop]))
    }
  }

  @Test("a refused commit is checked, not repeated")
  func refusedCommit() {
    var machine = machine(waiting: [])
    _ = machine.start()
    #expect(machine.take(.commitFailed(mayRetry: false)) == [.checkLanded])
    #expect(machine.take(.landed(false)) == [.stop])
  }

  @Test("what looked like a fault but landed is success (G108)")
  func landedAfterAll() {
    var machine = machine(waiting: [])
    _ = machine.start()
    #expect(machine.take(.commitFailed(mayRetry: true)) == [.checkLanded])
    #expect(machine.take(.landed(true)) == [.index])
    #expect(machine.take(.indexed) == [.finish])
  }

  @Test("a failed upload lets the others end, then stops; nothing new begins")
  func failedUpload() {
    var machine = machine()
    #expect(machine.start() == [.upload(photo: "a"), .upload(photo: "b")])
    #expect(machine.take(.uploadFailed(photo: "a")) == [])
    #expect(machine.take(.uploaded(photo: "b")) == [.stop])
  }

  @Test("a picture that cannot be prepared stops before anything is sent")
  func failedPreparation() {
    var machine = machine(unprepared: ["a", "b"])
    #expect(machine.start() == [.prepare(photo: "a")])
    #expect(machine.take(.prepareFailed(photo: "a")) == [.stop])
  }

  @Test("cancelling waits for what is under way; a commit that lands still counts")
  func cancelling() {
    var uploading = machine(photos: ["a"], waiting: ["a"])
    _ = uploading.start()
    #expect(uploading.take(.cancelRequested) == [])
    #expect(uploading.take(.uploaded(photo: "a")) == [.stop])

    var committing = machine(waiting: [])
    _ = committing.start()
    #expect(committing.take(.cancelRequested) == [])
    #expect(committing.take(.committed) == [.index])
  }

  @Test("bytes the server has dropped are uploaded once more, and only once")
  func blobsGone() {
    var machine = machine(photos: ["a"], waiting: [])
    _ = machine.start()
    #expect(machine.take(.blobsGone) == [.upload(photo: "a")])
    #expect(machine.take(.uploaded(photo: "a")) == [.commit])
    #expect(machine.take(.blobsGone) == [.stop])
  }

  @Test("a committed draft only needs its index calls")
  func onlyIndexing() {
    var machine = machine(waiting: [], committed: true)
    #expect(machine.start() == [.index])
  }
}
