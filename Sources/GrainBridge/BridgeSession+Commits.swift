import GrainModels
import JSONRPC
import StrictJSON

extension BridgeSession {
  // MARK: Instances

  /// Makes a model instance known; a known one stays as it is.
  func install(_ make: @autoclosure () -> ModelInstance, key: String) -> ModelInstance {
    if let known = instances[key] { return known }
    let instance = make()
    instances[key] = instance
    _ = shelf.commit([key: StateShelf.Committed(instance)], causes: [:])
    instance.watch { [weak self] in self?.commit() }
    return instance
  }

  /// Ends an instance and tells its subscribers.
  func close(_ key: String, reason: String) {
    settled {
      guard let instance = self.instances.removeValue(forKey: key) else { return }
      instance.unwatch()
      for subscription in self.shelf.remove(key) {
        self.connection.notify(
          "models/closed", ["subscription": .string(subscription), "reason": .string(reason)],
          closing: [subscription])
      }
    }
  }

  /// Ends an instance once its last state was written.
  func closeOnceSeen(_ key: String, reason: String) {
    settled {
      self.commit()
      if let instance = self.instances[key] {
        self.published.keep(instance, of: self.models?.accounts.activeRepo)
      }
      self.closing[key] = Task { [weak self, connection = self.connection] in
        // Where nothing is written any more, no end is heard of either.
        guard await connection.flush() else { return }
        self?.closing[key] = nil
        self?.close(key, reason: reason)
      }
    }
  }

  // MARK: Committing

  /// Commits every changed model as one frame and marks its subscriptions.
  ///
  /// While an intent is being performed nothing is committed: its change is seen whole, named by its
  /// request, and not before its verdict (O4).
  func commit() {
    guard afterVerdict == nil else { return }
    commit(cause: nil, answering: nil)
  }

  /// Commits, and writes the verdict while nobody can see the new state.
  ///
  /// - Parameters:
  ///   - cause: the request whose change this is.
  ///   - answering: writes the verdict, told the keys of the instances that changed.
  func commit(cause: RequestID, answering: @escaping (_ changed: Set<String>) -> Void) {
    commit(cause: cause, answering: .some(answering))
  }

  private func commit(
    cause: RequestID?, answering: ((_ changed: Set<String>) -> Void)?
  ) {
    var shown: [String: [String]] = [:]
    var leaving: Set<String> = []
    for (key, instance) in instances {
      let before = instance.operation
      guard instance.commit() else { continue }
      shown[key] = [before, instance.operation].compactMap(\.self)
      if let before, before != instance.operation { leaving.insert(before) }
    }
    if shown.isEmpty, answering == nil { return }
    // What models change by themselves is the work of what runs; what an intent changes at once is its own,
    // and that of what leaves the screen with it.
    let working = cause == nil ? Set(operations.keys) : leaving
    var states: [String: StateShelf.Committed] = [:]
    var causes: [String: [RequestID]] = [:]
    for (key, own) in shown {
      guard let instance = instances[key] else { continue }
      states[key] = StateShelf.Committed(instance)
      for operation in traced(own, working, in: instance) {
        operations[operation]?.touched.insert(key)
        causes[key, default: []] += operations[operation]?.causes ?? []
      }
      if let cause { causes[key, default: []].append(cause) }
    }
    connection.withStateHeld {
      let dirty = states.isEmpty ? [] : shelf.commit(states, causes: causes)
      answering?(Set(states.keys))
      connection.markDirty(dirty, urgency: states.count > 1 ? .now : .paced)
    }
  }

  /// The operations behind a change of an instance, oldest first: those it shows, and those of others whose
  /// work is seen in its model.
  private func traced(
    _ own: [String], _ working: Set<String>, in instance: ModelInstance
  ) -> [String] {
    for operation in own where instance.argument != nil {
      operations[operation]?.speaks(to: instance.key)
    }
    let others = working.filter { operation in
      instance.argument == nil
        && operations[operation]?.intent.isSeen(in: instance.model) == true
    }
    return Set(own).union(others).sorted {
      (operations[$0]?.serial ?? 0) < (operations[$1]?.serial ?? 0)
    }
  }

  // MARK: Performing an intent

  /// Performs an intent with all commits held back; whoever calls writes the verdict at the end of
  /// `change`.
  func holdingCommits(
    _ change: () async throws(IntentRejection) -> Void
  ) async throws(IntentRejection) {
    afterVerdict = []
    defer {
      let waiting = afterVerdict ?? []
      afterVerdict = nil
      for act in waiting { act() }
      commit()
      effects.go()
    }
    try await change()
  }

  /// Acts now, or after the verdict on the intent being performed.
  func settled(_ act: @escaping () -> Void) {
    if afterVerdict == nil { act() } else { afterVerdict?.append(act) }
  }
}

extension StateShelf.Committed {
  /// The committed state of an instance.
  @MainActor
  init(_ instance: ModelInstance) {
    self.init(
      model: instance.model, schema: instance.schema, revision: instance.revision,
      state: instance.state)
  }
}
