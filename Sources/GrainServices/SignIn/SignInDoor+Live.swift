extension SignInDoor {
  /// The real service behind the door.
  package static func live(
    _ service: SignInService, suggestions: HandleSuggestions, coordinator: CallbackCoordinator,
    configuration: CoreConfiguration
  ) -> SignInDoor {
    SignInDoor(
      run: { target, loopback, step async throws(SignInError) in
        try await service.run(target, loopback: loopback, step: step)
      },
      suggest: { await suggestions.accounts(for: $0) },
      left: { await service.left() },
      resume: { step async throws(SignInError) in try await service.resume(step: step) },
      showAgain: { await service.showAgain() },
      leave: { await service.leave() },
      deliver: { coordinator.offer($0) },
      isSchemeSettled: { await service.schemes.isSettled($0) },
      settleScheme: { await service.schemes.settle($0) },
      providers: { ProviderOffer.all(configuration) })
  }
}

extension AccountsDoor {
  /// The real services behind the door.
  package static func live(_ service: AccountService, vault: VaultKeeper) -> AccountsDoor {
    AccountsDoor(
      states: { await service.states() },
      restore: { await service.restore() },
      activate: { account async throws(AccountError) in try await service.activate(account) },
      signOut: { account, discard async throws(AccountError) in
        try await service.signOut(account, discardDrafts: discard)
      },
      move: { account, before async throws(AccountError) in
        try await service.move(account, before: before)
      },
      delete: { account async throws(AccountError) in try await service.delete(account) },
      unlock: { await vault.retry() })
  }
}

extension GalleryDoor {
  /// The real services behind the door.
  package static func live(
    drafts: DraftStore, workshop: PhotoWorkshop, publisher: GalleryPublisher,
    published: PublishedGalleries, limits: CoreConfiguration.PublishLimits
  ) -> GalleryDoor {
    var door = GalleryDoor(
      limits: limits,
      create: { repo, opening async throws(StoreFault) in
        try await drafts.create(repo: repo, opening: opening)
      },
      draft: { id async throws(StoreFault) in try await drafts.draft(id) },
      drafts: { repo async throws(StoreFault) in try await drafts.drafts(of: repo) },
      change: { id, edit async throws(StoreFault) in try await drafts.change(id, edit) },
      remove: { id async throws(StoreFault) in try await drafts.remove(id) },
      sweep: { () async throws(StoreFault) in
        try await drafts.sweep(expiringAfter: limits.draftDays)
      },
      prepare: { photo, draft async throws(PhotoWorkshop.Failure) in
        try await workshop.prepare(photo, of: draft)
      },
      publish: { id, progress async throws(PublishError) in
        try await publisher.publish(id, progress: progress)
      },
      makePhotoID: { drafts.makePhotoID() },
      preparedPath: { drafts.preparedPath($0, file: $1) })
    door.published = PublishedDoor(
      open: { gallery, draft async throws(PublishedGalleryError) in
        try await published.open(gallery, in: draft)
      },
      delete: { gallery, repo async throws(PublishedGalleryError) in
        try await published.delete(gallery, of: repo)
      })
    return door
  }
}
