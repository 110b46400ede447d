import Foundation
import GrainSnapshots
import JSONRPC
import StrictJSON
import SystemClients

/// What the shell is asked to do: one modal effect at a time, sixteen in all, each answered once or
/// given up (bridge-protocol §6).
@MainActor
final class EffectDesk {
  /// An effect as it is asked for.
  struct Order {
    let effect: String
    let params: JSONObject
    /// After this it is of no use to the shell.
    var goodUntil = Date.distantFuture

    /// While one of these is open, no other is asked for.
    var isModal: Bool { ["auth.present", "files.pick", "keyring.unlock"].contains(effect) }
  }

  private struct Ticket {
    let order: Order
    /// The request, once it is sent.
    var id: RequestID?
    /// Whoever waits; `nil` once the effect is withdrawn.
    var waiter: CheckedContinuation<RPCAnswer?, Never>?
    /// Gives up waiting for the answer to a withdrawn effect.
    var patience: Task<Void, Never>?
  }

  private static let most = 16
  private static let answerTime = Duration.seconds(2)

  private let connection: RPCConnection
  private let clock: SystemClock
  private var tickets: [Int: Ticket] = [:]
  private var nextTicket = 0
  private var isOver = false
  /// Writes down what is to be seen before an effect; runs right before each request.
  var stateFirst: () -> Void = {}
  /// Whether requests may go out now; see ``go()``.
  var mayAsk: () -> Bool = { true }

  init(connection: RPCConnection, clock: SystemClock) {
    self.connection = connection
    self.clock = clock
  }

  /// Asks for an effect as soon as it may be open, and waits for its answer.
  ///
  /// - Returns: the answer; `dismissed` when the task was cancelled and the effect withdrawn; `nil` when
  ///   the time of the order was over before the shell could be asked, or asked once more.
  func perform(_ order: Order) async -> RPCAnswer? {
    nextTicket += 1
    let number = nextTicket
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        tickets[number] = Ticket(order: order, waiter: continuation)
        if Task.isCancelled || isOver { withdraw(number) }
        go()
      }
    } onCancel: {
      // A handler runs on whatever thread cancels; the desk is the main actor's.
      Task { @MainActor in self.withdraw(number) }
    }
  }

  /// Sends what waits and may be open now, oldest first.
  func go() {
    guard mayAsk() else { return }
    for number in tickets.keys.sorted() {
      guard let ticket = tickets[number], ticket.id == nil, !isFull(for: ticket.order) else {
        continue
      }
      if isOverdue(ticket) {
        withdraw(number, nil)
        continue
      }
      stateFirst()
      guard
        let id = connection.request("effects/perform", ticket.order.params, order: .afterState)
      else {
        finish(number, .connectionEnded)
        continue
      }
      tickets[number]?.id = id
    }
  }

  /// The shell's answer; one nobody waits for any more only makes room.
  func answered(_ id: RequestID, _ answer: RPCAnswer) {
    guard let number = tickets.first(where: { $0.value.id == id })?.key else { return }
    finish(number, answer)
    go()
  }

  /// Takes everything back and asks for nothing more: what an end does.
  func close() {
    isOver = true
    for number in tickets.keys.sorted() { withdraw(number) }
  }

  /// Takes back what the shell would be told of in vain: what a reloaded window begins with.
  func dropOverdue() {
    for (number, ticket) in tickets where isOverdue(ticket) { withdraw(number, nil) }
  }

  /// What a reloaded window asks for, oldest first: asked for, not answered, not withdrawn.
  var pending: [(id: RequestID, params: JSONObject)] {
    tickets.sorted { $0.key < $1.key }.compactMap { _, ticket in
      guard let id = ticket.id, ticket.waiter != nil else { return nil }
      return (id, ticket.order.params)
    }
  }

  private func isFull(for order: Order) -> Bool {
    let open = tickets.values.filter { $0.id != nil }
    return open.count >= Self.most || order.isModal && open.contains(where: \.order.isModal)
  }

  private func isOverdue(_ ticket: Ticket) -> Bool {
    ticket.order.goodUntil <= clock.now()
  }

  /// Whoever waits goes on as if the person had closed it, or with another answer; the shell still has
  /// to answer, and until it has, or is given up, nothing else modal is shown.
  private func withdraw(
    _ number: Int, _ answer: RPCAnswer? = .result(["outcome": "dismissed"])
  ) {
    guard let ticket = tickets[number], let waiter = ticket.waiter else { return }
    tickets[number]?.waiter = nil
    waiter.resume(returning: answer)
    guard let id = ticket.id else {
      tickets[number] = nil
      return
    }
    connection.notify("$/cancelRequest", ["id": id.json])
    if isOver { return }
    tickets[number]?.patience = Task { [clock] in
      await clock.pause(Self.answerTime)
      guard !Task.isCancelled else { return }
      finish(number, .connectionEnded)
      go()
    }
  }

  private func finish(_ number: Int, _ answer: RPCAnswer) {
    guard let ticket = tickets.removeValue(forKey: number) else { return }
    ticket.patience?.cancel()
    ticket.waiter?.resume(returning: answer)
  }
}
