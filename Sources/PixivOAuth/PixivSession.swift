package import HTTPTransport
import OAuth
import OpenSSLCrypto
package import SystemClients

/// The one owner of one account's tokens: calls with them, and refreshes them once for everybody (X7, X17).
package actor PixivSession {
  /// Keeps tokens, or `nil` for none; throws when it cannot.
  package typealias Keep = @Sendable (PixivTokens?) async throws -> Void

  private let configuration: PixivConfiguration
  private let endpoint: PixivTokenEndpoint
  private let http: HTTPClient
  private let headers: PixivHeaders
  private let keep: Keep
  private var tokens: PixivTokens
  /// Set once the refresh token was refused; nothing is sent any more.
  private var ended: PixivError?
  private var refreshing: Task<Result<PixivTokens, PixivError>, Never>?

  /// A session over tokens that are stored already.
  package init(
    tokens: PixivTokens, configuration: PixivConfiguration, http: HTTPClient, clock: SystemClock,
    keep: @escaping Keep
  ) {
    self.tokens = tokens
    self.configuration = configuration
    self.http = http
    self.keep = keep
    endpoint = PixivTokenEndpoint(configuration: configuration, http: http, clock: clock)
    headers = PixivHeaders(configuration: configuration, clock: clock)
  }

  /// Who is signed in, as the newest answer said.
  package var user: PixivUser { tokens.user }

  /// Makes a call. A token that ends within a minute is refreshed first; one the API calls ended is
  /// refreshed and the call repeated once, never again (X9): an account that is banned gets fresh tokens
  /// that work no better, and must not loop.
  package func send<Answer>(_ call: PixivEndpoint<Answer>) async throws(PixivError) -> Answer {
    let url = try call.url(below: configuration.apiBase)
    if tokens.isStale(at: headers.clock.now()) { try await refresh(tokens) }
    let used = try current()
    let first = try await get(HTTPRequest(url: url), with: used)
    guard first.saysTokenEnded, first.commonError == nil else { return try read(first, call) }
    try await refresh(used)
    return try read(try await get(HTTPRequest(url: url), with: try current()), call)
  }

  /// Refreshes tokens that end within a minute.
  ///
  /// - Throws: why there are no newer ones; those that are held go on while they last, unless the error
  ///   ends the session.
  package func freshen() async throws(PixivError) {
    if let ended { throw ended }
    if tokens.isStale(at: headers.clock.now()) { try await refresh(tokens) }
  }

  /// Returns when no refresh is under way.
  package func settle() async {
    while let refreshing { _ = await refreshing.value }
  }

  private func current() throws(PixivError) -> PixivTokens {
    if let ended { throw ended }
    return tokens
  }

  private func read<Answer>(
    _ answer: PixivAnswer, _ call: PixivEndpoint<Answer>
  ) throws(PixivError) -> Answer {
    if let error = answer.commonError { throw error }
    guard answer.isSuccess else {
      throw answer.json == nil
        ? .badAnswer(status: answer.response.status)
        : .refused(status: answer.response.status, message: answer.message)
    }
    guard let value = answer.json.flatMap(call.read) else {
      throw .badAnswer(status: answer.response.status)
    }
    return value
  }

  private func get(
    _ request: HTTPRequest, with tokens: PixivTokens
  ) async throws(PixivError) -> PixivAnswer {
    var request = request
    request.headers = headers.fields()
    let token = tokens.accessToken.revealText()
    request.headers["Authorization"] = "Bearer \(token)"
    do throws(HTTPError) {
      return PixivAnswer(try await http.send(request), hiding: [token])
    } catch {
      throw .network(error)
    }
  }

  // MARK: Refresh

  /// Replaces these tokens, unless somebody did it meanwhile; callers share one request, which is never
  /// cancelled once it is sent.
  private func refresh(_ used: PixivTokens) async throws(PixivError) {
    if let ended { throw ended }
    if used != tokens { return }
    let task: Task<Result<PixivTokens, PixivError>, Never>
    if let refreshing {
      task = refreshing
    } else {
      task = Task { await self.renew() }
      refreshing = task
    }
    _ = try await task.value.get()
  }

  private func renew() async -> Result<PixivTokens, PixivError> {
    defer { refreshing = nil }
    do throws(PixivError) {
      let new = try await endpoint.refresh(tokens)
      // On disk before anybody uses them.
      try await store(new)
      tokens = new
      return .success(new)
    } catch {
      if error.endsSession {
        ended = error
        do throws(PixivError) {
          try await store(nil)
        } catch {
          // The account is over in any case; the next launch is told by the server again.
        }
      }
      return .failure(error)
    }
  }

  private func store(_ tokens: PixivTokens?) async throws(PixivError) {
    do {
      try await keep(tokens)
    } catch {
      throw .storeFailed
    }
  }
}
