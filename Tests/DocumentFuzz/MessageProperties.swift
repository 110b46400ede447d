@testable import HTTPServing
@testable import HTTPTransport

/// What must hold of HTTP messages: read in pieces, they are what they are read at once.
enum MessageProperties {
  private static let bodyLimit = 4_096

  /// What a client makes of a server's bytes.
  static func response(_ bytes: [UInt8]) {
    let (step, stream) = cut(bytes)
    let whole = answer(stream, step: max(1, stream.count))
    let pieces = answer(stream, step: step)
    precondition(whole == pieces, "cut elsewhere, the answer reads otherwise")
    precondition(whole.body.count <= bodyLimit)
  }

  /// What a server makes of a client's bytes.
  static func request(_ bytes: [UInt8]) {
    let (step, stream) = cut(bytes)
    precondition(
      requests(stream, step: max(1, stream.count)) == requests(stream, step: step),
      "cut elsewhere, the requests read otherwise")
  }

  private static func cut(_ bytes: [UInt8]) -> (step: Int, stream: ArraySlice<UInt8>) {
    (1 + Int(bytes.first ?? 0) % 16, bytes.dropFirst())
  }

  private struct Answer: Equatable {
    var status: Int?
    var isComplete = false
    var body: [UInt8] = []
    var isRefused = false
  }

  private static func answer(_ stream: ArraySlice<UInt8>, step: Int) -> Answer {
    var parser = ResponseParser(method: "GET", bodyLimit: bodyLimit)
    var answer = Answer()
    do throws(MessageFault) {
      var rest = stream
      while !rest.isEmpty, !parser.isComplete {
        let piece = Array(rest.prefix(step))
        rest = rest.dropFirst(step)
        try feed(piece, to: &parser)
      }
    } catch {
      // How much of the body was read before a fault depends on the pieces; that it is one does not.
      answer.isRefused = true
      return answer
    }
    answer.status = parser.status
    answer.isComplete = parser.isComplete
    answer.body = parser.isComplete ? parser.bodyBytes : []
    return answer
  }

  private static func feed(
    _ piece: [UInt8], to parser: inout ResponseParser
  ) throws(MessageFault) {
    var fault: MessageFault?
    piece.withUnsafeBytes { bytes in
      do throws(MessageFault) {
        try parser.feed(bytes)
      } catch {
        fault = error
      }
    }
    if let fault { throw fault }
  }

  private static func requests(_ stream: ArraySlice<UInt8>, step: Int) -> [String] {
    var parser = RequestParser(limits: HTTPServerLimits(bodyBytes: bodyLimit), peer: "fuzz")
    var found: [String] = []
    var rest = stream
    while !rest.isEmpty {
      let piece = Array(rest.prefix(step))
      rest = rest.dropFirst(step)
      piece.withUnsafeBytes { parser.feed($0) }
      reading: while true {
        switch parser.next() {
        case .incomplete: break reading
        case .refused(let status): return found + ["refused \(status)"]
        case .request(let request, let keepsAlive):
          found.append("\(request.method) \(request.path) \(request.body) \(keepsAlive)")
          if !keepsAlive { return found }
        }
      }
    }
    return found
  }
}
