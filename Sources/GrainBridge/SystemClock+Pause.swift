import SystemClients

extension SystemClock {
  /// Waits a while, or until the task is cancelled; whoever minds asks which it was.
  func pause(_ duration: Duration) async {
    try? await sleep(duration)  // being cancelled is no failure here
  }
}
