import HTTPServing

/// What goes wrong on purpose between a client and a server of the sandbox.
package enum SandboxFault: Sendable, Equatable {
  /// The request is processed, then the connection is cut without an answer.
  case lostAnswer
  /// The connection is cut and nothing was processed.
  case dropBeforeProcessing
  /// Processing starts late, by the network's clock.
  case delay(Duration)
  /// Processing is done at once, but the answer comes late.
  case lateAnswer(Duration)
  /// Refused with this status, XRPC style, before anything is processed.
  case status(Int, retryAfter: Int? = nil)
  /// A proxy in front answers 502 with a page (wire §10.1).
  case html502
  /// The answer breaks off in the middle of its body.
  case truncatedAnswer
}

/// The faults that are waiting to happen, oldest first.
package actor SandboxFaults {
  /// Which requests a fault is for.
  package struct Match: Sendable {
    /// The server's name; `nil` for any.
    package var server: String?
    /// `nil` for any.
    package var method: String?
    /// What the path starts with, such as `/xrpc/com.atproto.repo.uploadBlob`.
    package var pathPrefix: String
    /// What the query has in it, as sent: the one question that is meant among many; `nil` for any.
    package var query: String?

    /// Any request, unless told otherwise.
    package init(
      server: String? = nil, method: String? = nil, pathPrefix: String = "/", query: String? = nil
    ) {
      self.server = server
      self.method = method
      self.pathPrefix = pathPrefix
      self.query = query
    }

    func covers(_ request: HTTPServerRequest, at server: String) -> Bool {
      (self.server ?? server) == server && (method ?? request.method) == request.method
        && request.path.hasPrefix(pathPrefix)
        && query.map { request.rawQuery?.contains($0) == true } ?? true
    }
  }

  private struct Waiting {
    let fault: SandboxFault
    let match: Match
    /// Matching requests that pass before the fault strikes.
    var skip: Int
    var times: Int
  }

  private var waiting: [Waiting] = []

  /// Nothing goes wrong yet.
  package init() {}

  /// Lets a fault happen to the next `times` matching requests, after `skip` of them have passed.
  package func add(
    _ fault: SandboxFault, on match: Match, times: Int = 1, after skip: Int = 0
  ) {
    waiting.append(Waiting(fault: fault, match: match, skip: skip, times: times))
  }

  /// Calls off everything that has not happened yet.
  package func clear() { waiting = [] }

  /// How many faults have not been used up.
  package var remaining: Int { waiting.map(\.times).reduce(0, +) }

  /// The fault for this request, used up by asking.
  func take(_ request: HTTPServerRequest, at server: String) -> SandboxFault? {
    for index in waiting.indices where waiting[index].match.covers(request, at: server) {
      if waiting[index].skip > 0 {
        waiting[index].skip -= 1
        continue
      }
      let fault = waiting[index].fault
      waiting[index].times -= 1
      if waiting[index].times <= 0 { waiting.remove(at: index) }
      return fault
    }
    return nil
  }
}
