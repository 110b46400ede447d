package import CredentialVault
import Foundation
import Glibc
import SystemClients

/// A session bus of a test's own, with a GNOME key store that the test starts, locks and ends.
///
/// Nothing is activated by itself on it, and the developer's own key store is never met (FB-E9).
package final class PrivateBus: Sendable {
  private static let needed = ["secret-tool", "dbus-daemon", "gnome-keyring-daemon"]

  /// Whether this machine has the programs.
  package static let isPossible = needed.allSatisfy { ProgramRunner.live.find($0) != nil }

  /// Why the tests with the real thing are skipped.
  package static let skipReason =
    "secret-tool, dbus-daemon and gnome-keyring-daemon are not all installed "
    + "(libsecret-tools, dbus, gnome-keyring)"

  /// What leads to this bus.
  package let environment: [String: String]
  private let folder: TemporaryFolder
  private let bus: Daemon
  private let keyring = Locked<Daemon?>(nil)

  /// Starts the bus, with no key store on it.
  package init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "data", "cache"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let address = "unix:path=\(folder.path("bus"))"
    try Data(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
      <allow own="*"/></policy></busconfig>
      """.utf8
    ).write(to: URL(filePath: folder.path("bus.conf")))
    environment = [
      "HOME": folder.path, "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": folder.path("run"),
      "XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache"),
      "DBUS_SESSION_BUS_ADDRESS": address,
    ]
    // It prints its address once it listens.
    bus = try Daemon(
      "dbus-daemon", ["--config-file=\(folder.path("bus.conf"))", "--nofork", "--print-address"],
      environment: environment)
    try bus.waitForLine()
  }

  deinit {
    keyring.withLock { $0 = nil }
  }

  /// A key provider that asks this bus.
  package var provider: SecretServiceProvider {
    SecretServiceProvider(programs: .live, environment: environment)
  }

  /// Starts the key store, unlocked or with the keyring of before locked, and waits until it answers.
  package func startKeyring(unlocked: Bool) async throws {
    let options = ["--foreground", "--components=secrets"]
    let daemon = try Daemon(
      "gnome-keyring-daemon", options + (unlocked ? ["--unlock"] : []), environment: environment,
      input: unlocked ? "password of the test" : "")
    keyring.withLock { $0 = daemon }
    // Counted, not timed: where everything waits for a processor, one question may take as long as all.
    for _ in 0..<200 {
      do {
        _ = try await provider.load(vault: "anything")
        return
      } catch {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    throw VaultError.other("the key store did not start")
  }

  /// Ends the key store, as the end of a desktop session does.
  package func stopKeyring() {
    keyring.withLock { $0 = nil }
  }
}

/// A program that runs until nobody refers to it any more, or this process ends in whatever way.
///
/// Between us and it stands a shell that ends it, by its id, once its own input is closed.
private final class Daemon: Sendable {
  private static let guardian = """
    printf %s "$INPUT" | "$0" "$@" & child=$!; cat >/dev/null; kill -9 $child; wait $child
    """

  private let program: HeldProgram

  init(
    _ name: String, _ arguments: [String], environment: [String: String], input: String = ""
  ) throws {
    program = try HeldProgram(
      "/bin/sh", ["-c", Self.guardian, ProgramRunner.live.find(name) ?? name] + arguments,
      environment: environment.merging(["INPUT": input]) { $1 })
  }

  /// Returns once it has said something.
  func waitForLine() throws {
    guard !program.said().isEmpty else { throw VaultError.other("the bus did not start") }
  }
}

/// A bus address that accepts and never answers.
package final class SilentBus: Sendable {
  /// What leads to this bus.
  package let environment: [String: String]
  private let folder: TemporaryFolder
  private let socket: Int32

  /// Begins to listen.
  package init() throws {
    folder = try TemporaryFolder()
    let path = folder.path("bus")
    environment = [
      "HOME": folder.path, "PATH": "/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)",
    ]
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0, listen(socket, 8) == 0 else { throw VaultError.other("no socket") }
  }

  deinit { close(socket) }
}
