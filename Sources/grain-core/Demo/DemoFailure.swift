/// Why the demo stopped: what failed, and what to do about it.
struct DemoFailure: Error {
  let what: String
  let advice: String

  init(_ what: String, advice: String) {
    self.what = what
    self.advice = advice
  }
}
