package import GrainServices
import Testing

/// A call that the test did not provide for: the test fails.
private func notStubbed(_ call: String) {
  Issue.record("\(call) was called, and the test did not say what it does")
}

extension SignInDoor {
  /// Fails the test at every call; a test replaces what it expects to be called.
  package static var unstubbed: SignInDoor {
    SignInDoor(
      run: { _, _, _ async throws(SignInError) in
        notStubbed("SignInDoor.run")
        throw .cancelled
      },
      suggest: { _ in
        notStubbed("SignInDoor.suggest")
        return []
      },
      left: {
        notStubbed("SignInDoor.left")
        return nil
      },
      resume: { _ async throws(SignInError) in
        notStubbed("SignInDoor.resume")
        throw .cancelled
      },
      showAgain: { notStubbed("SignInDoor.showAgain") },
      leave: { notStubbed("SignInDoor.leave") },
      deliver: { _ in
        notStubbed("SignInDoor.deliver")
        return .unknown
      })
  }
}

extension AccountsDoor {
  /// Fails the test at every call; a test replaces what it expects to be called.
  package static var unstubbed: AccountsDoor {
    AccountsDoor(
      states: {
        notStubbed("AccountsDoor.states")
        return AsyncStream { $0.finish() }
      },
      restore: { notStubbed("AccountsDoor.restore") },
      activate: { _ async throws(AccountError) in
        notStubbed("AccountsDoor.activate")
      },
      signOut: { _, _ async throws(AccountError) in
        notStubbed("AccountsDoor.signOut")
      },
      move: { _, _ async throws(AccountError) in
        notStubbed("AccountsDoor.move")
      },
      delete: { _ async throws(AccountError) in
        notStubbed("AccountsDoor.delete")
      },
      unlock: {
        notStubbed("AccountsDoor.unlock")
        return nil
      })
  }
}

extension GalleryDoor {
  /// Fails the test at every call; a test replaces what it expects to be called.
  package static var unstubbed: GalleryDoor {
    GalleryDoor(
      limits: CoreConfiguration.PublishLimits(),
      create: { _, _ async throws(StoreFault) in
        notStubbed("GalleryDoor.create")
        throw .full
      },
      draft: { _ async throws(StoreFault) in
        notStubbed("GalleryDoor.draft")
        return nil
      },
      drafts: { _ async throws(StoreFault) in
        notStubbed("GalleryDoor.drafts")
        return []
      },
      change: { _, _ async throws(StoreFault) in
        notStubbed("GalleryDoor.change")
        return nil
      },
      remove: { _ async throws(StoreFault) in
        notStubbed("GalleryDoor.remove")
      },
      sweep: { () async throws(StoreFault) in notStubbed("GalleryDoor.sweep") },
      prepare: { _, _ async throws(PhotoWorkshop.Failure) in
        notStubbed("GalleryDoor.prepare")
        return nil
      },
      publish: { _, _ async throws(PublishError) in
        notStubbed("GalleryDoor.publish")
        throw .cancelled
      },
      makePhotoID: {
        notStubbed("GalleryDoor.makePhotoID")
        return "photo"
      },
      preparedPath: {
        notStubbed("GalleryDoor.preparedPath")
        return "/\($0)/\($1)"
      })
  }
}
