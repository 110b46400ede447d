package import StrictJSON

/// Why a shell's request did not succeed.
package enum ShellError: Error, Equatable, Sendable {
  /// The core refused it: the error object's `code`, `kind` and words for the person.
  case refused(code: Int, kind: String, words: String)
  /// The core ended the connection.
  case ended
  /// The core ended the subscription, for this reason (`gone`, `signedOut`, `tooLarge`, `internal`).
  case closed(reason: String)
  /// The core sent something this client cannot read.
  case unreadable(String)

  init(error: JSONValue) {
    let data = error["data"]
    self = .refused(
      code: error["code"]?.intValue ?? 0, kind: data?["kind"]?.stringValue ?? "",
      words: data?["message"]?["fallback"]?.stringValue ?? error["message"]?.stringValue ?? "")
  }
}

/// What a shell answers to `effects/perform`.
package enum EffectAnswer: Sendable {
  case result(JSONObject)
  case error(code: Int, kind: String)
}
