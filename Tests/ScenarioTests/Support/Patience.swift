/// Something was waited for in vain: a wait that would hang fails its test instead.
struct Overdue: Error, CustomStringConvertible {
  let what: String
  let limit: Duration

  var description: String { "waited \(limit) in vain for \(what)" }
}

/// Waits for work that has to end by itself; one that does not is left behind and reported as
/// ``Overdue``, with the words of `what`. The limit is far beyond what work takes on a busy machine.
@discardableResult
func within<Value: Sendable>(
  _ what: String, limit: Duration = .seconds(30),
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (results, feed) = AsyncStream.makeStream(
    of: Result<Value, any Error>.self, bufferingPolicy: .bufferingOldest(1))
  let worker = Task {
    do {
      feed.yield(.success(try await work()))
    } catch {
      feed.yield(.failure(error))
    }
  }
  let timer = Task {
    do {
      try await Task.sleep(for: limit)
      feed.yield(.failure(Overdue(what: what, limit: limit)))
    } catch {
      // Cancelled below: the work came first.
    }
  }
  defer {
    timer.cancel()
    worker.cancel()
  }
  for await result in results { return try result.get() }
  throw CancellationError()
}
