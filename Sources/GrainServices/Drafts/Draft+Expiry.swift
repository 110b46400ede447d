package import ATSyntax
package import Foundation

/// How long a draft is kept: seven days after its last change, and never less because a clock jumped.
extension Draft {
  /// When the draft is deleted unless it changes before.
  ///
  /// - Parameter days: how long drafts are kept after their last change.
  /// - Returns: `nil` while a publish is unfinished: such a draft stays.
  package func expiry(after days: Int) -> ATDateTime? {
    guard sending == nil else { return nil }
    return keptUntil ?? ATDateTime(updatedAt.date.addingTimeInterval(Self.seconds(days)))
  }

  /// Whether the draft's time is over, asked whenever somebody looks at the drafts.
  ///
  /// Between two looks a clock may have jumped, which cannot be told from days in which nobody came. So a
  /// draft is kept longer by the longest time in which nobody looked, at most by its whole term: whatever
  /// part of that was a jump, the term has passed then. A clock that is set back takes back as much.
  ///
  /// - Parameters:
  ///   - now: what the clock says.
  ///   - days: how long drafts are kept after their last change.
  ///   - lastLook: what the clock said at the look before; `nil` when there was none.
  /// - Returns: whether the draft goes now; if not, ``expiry(after:)`` says until when it stays.
  package mutating func isOver(at now: Date, after days: Int, lastLook: Date?) -> Bool {
    guard sending == nil else { return false }
    let term = Self.seconds(days)
    let due = updatedAt.date.addingTimeInterval(term)
    let known = max(updatedAt.date, lastLook ?? updatedAt.date)
    let unwatched = now.timeIntervalSince(known)
    var end = keptUntil?.date ?? due
    if unwatched < 0 {
      end = max(due, end.addingTimeInterval(unwatched))
    } else if known < due {
      end = max(end, max(due, now).addingTimeInterval(min(unwatched, term)))
    }
    keptUntil = end > due ? ATDateTime(end) : nil
    return end <= now
  }

  private static func seconds(_ days: Int) -> TimeInterval { TimeInterval(days) * 86_400 }
}
