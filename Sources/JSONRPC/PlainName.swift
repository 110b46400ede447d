/// Which names of a stranger's making may be repeated, in an error, a log line or a recording.
///
/// A member or a method nobody knows here is called whatever the peer has written, maybe an address with a
/// code, maybe a token. Repeated is only what looks like a name out of a program: words of ASCII letters in
/// camel case, or with `_` or `.` between them, at most one digit at the end. Random letters and digits do
/// not look like that: words have fifteen letters at most, a name has twenty-four bytes.
package enum PlainName {
  private static let longest = 24
  private static let longestMethod = 64

  /// Whether the name of a member may be repeated.
  package static func fits(_ name: String) -> Bool {
    guard name.utf8.count <= longest else { return false }
    let pattern = /_?[A-Z]?[a-z]{1,15}(?:(?:[._][A-Z]?|[A-Z])[a-z]{1,15}|ID|URL|URI)*[0-9]?/
    return name.wholeMatch(of: pattern) != nil
  }

  /// Whether the name of a method may be repeated: names with `/` between them, maybe after `$`.
  package static func fitsMethod(_ name: String) -> Bool {
    guard name.utf8.count <= longestMethod else { return false }
    var parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)[...]
    if parts.first == "$" { parts = parts.dropFirst() }
    return !parts.isEmpty && parts.allSatisfy(fits)
  }
}
