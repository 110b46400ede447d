import GrainSnapshots
import JSONRPC

extension Problem {
  /// What the connection refused by itself, in the registry's words.
  init(_ fault: RPCFault) {
    let kind = ErrorKind(rawValue: fault.kind) ?? .rpcInvalidRequest
    switch fault {
    case .duplicateID(let id):
      let value: PlainValue =
        switch id {
        case .number(let number): .integer(number)
        case .string(let text): .text(text)
        }
      self.init(kind, details: ["requestId": value])
    case .invalidParams(let field): self.init(kind, field: field)
    case .overloaded(let milliseconds): self.init(kind, retryAfterMs: milliseconds)
    default: self.init(kind)
    }
  }
}
