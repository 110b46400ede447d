import Foundation
package import HTTPTransport
import OAuth
package import OpenSSLCrypto
import StrictJSON
package import SystemClients

/// Calls one Platrium service.
///
/// No cookies go out and none are kept, so a bad token can never fall back to one (P30). A wait the
/// service asks for is kept to by every call of this client, not only by the one that was refused (P33,
/// P48).
package final class PlatriumClient: Sendable {
  /// The service.
  package let server: PlatriumServer
  private let http: HTTPClient
  private let clock: SystemClock
  private let deadline: Duration
  /// While it lasts nothing is sent.
  private let quiet = Locked<Rest?>(nil)

  /// A client that has asked nothing yet.
  package init(
    server: PlatriumServer, http: HTTPClient, clock: SystemClock,
    deadline: Duration = .seconds(15)
  ) {
    self.server = server
    self.http = http
    self.clock = clock
    self.deadline = deadline
  }

  // MARK: Getting a token

  /// Exchanges a code, once: it is burned by the first try, right or wrong (P18), so no answer makes this
  /// method send it again, and neither must its caller.
  ///
  /// - Throws: `codeRefused`, `answerLost`, `rateLimited`; each means that a new sign-in has to begin.
  package func exchange(
    code: Secret, of attempt: PlatriumAttempt
  ) async throws(PlatriumError) -> IssuedPlatriumToken {
    let secrets = [code.revealText(), attempt.pkce.verifier.revealText()]
    let body: JSONObject = [
      "code": .string(secrets[0]), "code_verifier": .string(secrets[1]),
      "redirect_uri": .string(attempt.redirectURI),
    ]
    let answer: JSONValue
    do throws(PlatriumError) {
      answer = try await send("POST", "token", nil, body, hiding: secrets)
    } catch {
      switch error {
      case .network(let fault) where fault.mayHaveBeenProcessed: throw .answerLost
      case .server: throw .answerLost
      case .refused(code: "invalid_grant", _): throw .codeRefused
      case .tokenGone: throw .codeRefused
      default: throw error
      }
    }
    guard let issued = IssuedPlatriumToken(answer) else { throw .answerLost }
    return issued
  }

  /// Checks a token that was made by hand and pasted (P25), and says who it belongs to.
  package func issued(for token: PlatriumToken) async throws(PlatriumError) -> IssuedPlatriumToken {
    IssuedPlatriumToken(token: token, clientID: nil, session: try await me(token))
  }

  // MARK: Using a token

  /// Who the token acts for (P27, P41).
  package func me(_ token: PlatriumToken) async throws(PlatriumError) -> PlatriumSession {
    guard let session = PlatriumSession(try await send("GET", "me", token)) else {
      throw .server(status: 200)
    }
    return session
  }

  /// Devices and apps, the calling one flagged (P36); an entry that makes no sense is left out.
  package func clients(
    _ token: PlatriumToken
  ) async throws(PlatriumError) -> [PlatriumClientEntry] {
    guard let list = try await send("GET", "clients", token)["clients"]?.arrayValue else {
      throw .server(status: 200)
    }
    return list.compactMap(PlatriumClientEntry.init)
  }

  /// Revokes a device or an app (P38); one's own ends the session. An entry that is gone already is done.
  package func revoke(_ client: String, _ token: PlatriumToken) async throws(PlatriumError) {
    do throws(PlatriumError) {
      _ = try await send("DELETE", "clients/\(FormURLEncoding.percentEncoded(client))", token)
    } catch .notFound {
      return
    }
  }

  /// Sets the calling device's push token (P39, P42, P44); an app's token is `forbidden` (P7).
  package func setPush(
    transport: String, pushToken: Secret, _ token: PlatriumToken
  ) async throws(PlatriumError) {
    let secret = pushToken.revealText()
    _ = try await send(
      "PUT", "device/push", token,
      ["transport": .string(transport), "token": .string(secret)], hiding: [secret])
  }

  /// Clears the calling device's push token (P39), in this time where somebody waits to leave.
  package func clearPush(
    _ token: PlatriumToken, within limit: Duration? = nil
  ) async throws(PlatriumError) {
    _ = try await send("DELETE", "device/push", token, within: limit)
  }

  /// Deletes the calling token (P40), in this time where somebody waits to leave. A token that is gone
  /// already is done.
  package func logOut(
    _ token: PlatriumToken, within limit: Duration? = nil
  ) async throws(PlatriumError) {
    do throws(PlatriumError) {
      _ = try await send("POST", "logout", token, within: limit)
    } catch .tokenGone {
      return
    }
  }

  // MARK: One request

  /// One request; `secrets` are what its body holds that no word of the service's may repeat to anybody,
  /// and the token is one in any case (FB-A34).
  private func send(
    _ method: String, _ path: String, _ token: PlatriumToken?, _ body: JSONObject? = nil,
    hiding secrets: [String] = [], within limit: Duration? = nil
  ) async throws(PlatriumError) -> JSONValue {
    let now = clock.now()
    if let left = quiet.withLock({ $0?.left(at: now) }) { throw .rateLimited(left) }
    var request = HTTPRequest(
      method: method, url: server.endpoint(path), deadline: limit ?? deadline)
    request.headers["Accept"] = "application/json"
    request.headers["Authorization"] = token?.authorization.revealText()
    if let body {
      request.headers["Content-Type"] = "application/json"
      request.body = .bytes(JSONValue.object(body).serialized())
    }
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await http.send(request)
    } catch {
      throw .network(error)
    }
    let hidden = secrets + [token?.secret.revealText()].compactMap(\.self)
    return try read(response) { text, limit in
      ServerText.clean(text, hiding: hidden, limit: limit)
    }
  }

  private func read(
    _ response: HTTPResponse, _ clean: (String, Int) -> String
  ) throws(PlatriumError) -> JSONValue {
    let json = json(response)
    switch response.status {
    case 204: return [:]
    case 200..<300:
      guard let json else { throw .server(status: response.status) }
      return json
    case 401: throw .tokenGone
    case 403: throw .forbidden(words(json, response, clean))
    case 404: throw .notFound
    case 429:
      let wait = min(response.retryAfter ?? .seconds(5), .seconds(3600))
      rest(for: wait)
      throw .rateLimited(wait)
    case 400..<500:
      let code = json?["error"]?.stringValue.map { clean($0, 80) }
      throw .refused(
        code: code ?? "\(response.status)", message: words(json, response, clean))
    default: throw .server(status: response.status)
    }
  }

  /// Keeps quiet from now on; of two waits that were asked for at once the longer one holds.
  private func rest(for wait: Duration) {
    let now = clock.now()
    quiet.withLock { quiet in
      if let left = quiet?.left(at: now), left > wait { return }
      quiet = Rest(of: wait, from: now)
    }
  }

  private func json(_ response: HTTPResponse) -> JSONValue? {
    do {
      return try JSONParser.parse(response.body)
    } catch {
      return nil
    }
  }

  /// The service's words for a person: `message`, or a short plain text (grain-product §18).
  private func words(
    _ json: JSONValue?, _ response: HTTPResponse, _ clean: (String, Int) -> String
  ) -> String? {
    if let message = json?["message"]?.stringValue { return clean(message, 300) }
    guard json == nil, response.contentType == "text/plain" else { return nil }
    return clean(String(decoding: response.body, as: UTF8.self), 300)
  }
}
