import GrainLexicon

/// The Bluesky post of a gallery that is up: at most one (G107, FB-D11), and never told to the
/// AppView (G51).
extension PublishRun {
  /// Asks the PDS whether the post is there.
  func checkPosted() async -> Event {
    guard let key = draft.sending?.postKey else { return .postLanded(false) }
    do throws(CallFault) {
      guard try await record(CollectionNames.blueskyPost, key, isSent: postsSent > 0) != nil else {
        return .postLanded(false)
      }
    } catch {
      // Cannot tell: counts as not landed, and the draft stays.
      postFailure = postFailure ?? error
      return .postLanded(false)
    }
    await markPosted()
    return .postLanded(true)
  }

  /// Sends the post.
  func post() async -> Event {
    await findMentions()
    // Not sent: it is as if somebody had looked and not found it.
    if stop.isRaised { return .postLanded(false) }
    do throws(PublishError) {
      // On disk before it is sent: after a crash the next run asks the PDS first.
      try await save { draft in
        var post = draft.sending?.post ?? Draft.Post()
        post.unanswered += 1
        draft.sending?.post = post
      }
    } catch {
      if case .store(let fault) = error { postFailure = .store(fault) }
      return .postFailed(mayRetry: false)
    }
    guard let write = CrossPost(draft, site: site)?.write else {
      return .postFailed(mayRetry: false)
    }
    postsSent += 1
    do throws(CallFault) {
      try await client.createRecord(write)
    } catch {
      return await postFailed(error)
    }
    await markPosted()
    return .posted
  }

  private func postFailed(_ error: CallFault) async -> Event {
    postFailure = error
    if error.isAnswer { await saveIfPossible { $0.sending?.post?.unanswered -= 1 } }
    guard Backoff.isWorthRepeating(error) else { return .postFailed(mayRetry: false) }
    let (backoff, attempt) = (backoff, postsSent)
    await stop.stoppable {
      // A pause that is cut short is as good: the landing check comes next.
      try? await backoff.wait(after: attempt, for: error)
    }
    return .postFailed(mayRetry: true)
  }

  private func markPosted() async {
    await saveIfPossible { draft in
      if draft.sending?.post == nil { draft.sending?.post = Draft.Post() }
      draft.sending?.post?.posted = true
    }
  }
}

extension CallFault {
  /// The server has answered, or nothing was sent: the request did not land.
  var isAnswer: Bool {
    switch self {
    case .refused, .scopeMissing, .accountInactive: true
    default: false
    }
  }
}
