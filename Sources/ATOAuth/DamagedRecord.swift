/// Bytes from the vault are not the record they were read as: a member is missing or wrong, or a newer
/// program wrote them.
package struct DamagedRecord: Error, Equatable, Sendable {
  /// The first member that is missing or wrong; never its value.
  package let member: String
}
