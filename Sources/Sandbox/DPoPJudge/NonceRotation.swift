/// When a server moves on to another nonce.
package enum NonceRotation: Equatable, Sendable {
  /// Every 60 s, three nonces good at a time: what the reference server does.
  case everyMinute
  /// With every answer; only the newest one handed out is good (FB-A1).
  case everyAnswer
}
