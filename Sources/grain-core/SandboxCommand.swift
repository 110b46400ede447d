import Foundation
import HTTPServing
import Sandbox
import StrictJSON
import SystemClients

/// `grain-core sandbox`: the local network alone, until it is told to stop.
struct SandboxCommand {
  private let options: CommandLineArguments.SandboxOptions

  init(_ options: CommandLineArguments.SandboxOptions) {
    self.options = options
  }

  func run() async -> ExitCode {
    let network: SandboxNetwork
    do {
      network = try await SandboxNetwork.start(configuration)
    } catch {
      GrainCoreProgram.complain("grain-core sandbox: \(Self.words(error))\n")
      return .unavailable
    }
    await Signals.untilTold { announce(network.addresses, configuration) }
    await network.stop()
    if let temporary = temporaryAuthorityFile {
      // Left behind it does no harm: the authority's key is gone.
      try? PrivateFiles.remove(temporary)
    }
    return .done
  }

  private var configuration: SandboxConfiguration {
    var configuration = SandboxConfiguration()
    if let seed = options.seed { configuration.seed = seed }
    if let data = options.data { configuration.databasePath = data }
    guard let tls = options.tls else {
      if let port = options.port { configuration.ports = Self.ports(from: port) }
      return configuration
    }
    var secure = SecureSettings(authorityFile: authorityFile(tls))
    if let domain = tls.domain { secure.domain = domain }
    if let address = tls.address { secure.address = address }
    if let port = options.port { secure.port = port }
    configuration.secure = secure
    return configuration
  }

  /// The file asked for; else one beside the data, else one that goes with the sandbox.
  private func authorityFile(_ tls: CommandLineArguments.TLSOptions) -> String {
    let path = tls.authorityFile ?? options.data.map { "\($0).ca.pem" } ?? temporaryAuthorityFile
    return URL(filePath: path ?? "").absoluteURL.standardizedFileURL.path
  }

  private var temporaryAuthorityFile: String? {
    guard let tls = options.tls, tls.authorityFile == nil, options.data == nil else { return nil }
    let name = "grain-core-sandbox-\(ProcessInfo.processInfo.processIdentifier).ca.pem"
    return FileManager.default.temporaryDirectory.appending(path: name).path
  }

  /// The home server gets the port asked for, the others those behind it.
  private static func ports(from first: Int) -> [SandboxConfiguration.ServerName: Int] {
    let order: [SandboxConfiguration.ServerName] = [
      .pds, .plc, .appView, .entryway, .hostedPDS, .signUpPDS, .platrium,
      .pixiv,
    ]
    return Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, first + $0) })
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case SandboxStartError.invalidDomain(let domain):
      "“\(domain)” is no domain; use --domain test or --domain example.com."
    case SandboxStartError.foreignFile(let path):
      "\(path) is not a sandbox's file and stays as it is; give --ca another one."
    case HTTPServerError.notLoopback(let address):
      "\(address) is no address of the loopback interface, and nobody else shall get in; "
        + "give --address one that is."
    case HTTPServerError.portInUse(let port):
      "port \(port) is in use; choose another with --port."
    case HTTPServerError.cannotListen(EACCES):
      "this port is for the administrator; choose one above 1023 with --port."
    default:
      "the network did not start (\(error)). Is the file in use? Choose another with --data."
    }
  }

  // MARK: What it says

  private func announce(_ addresses: SandboxAddresses, _ configuration: SandboxConfiguration) {
    let services = OtherServices(addresses, configuration)
    var ready = addresses.configuration
    ready["loopbackClient"] = true
    if options.json {
      var line: JSONObject = [
        "configuration": .object(ready), "platrium": services.platrium, "pixiv": services.pixiv,
      ]
      if let secure = addresses.secure {
        line["authorityFile"] = .string(secure.authorityFile)
        line["hostsFile"] = .string(Self.hostsLine(secure))
      }
      print(JSONValue.object(line).text())
    } else {
      print(
        """
        The sandbox is running; Ctrl-C ends it.
          home server   \(addresses.pds.absoluteString)
          directory     \(addresses.plc.absoluteString)
          AppView       \(addresses.appView.absoluteString)
          accounts      alice.\(addresses.domain) and bob.\(addresses.domain), password sandbox
        \(services.words)
        \(addresses.secure.map(Self.hints) ?? "")
        Save this as a file and start a core with grain-core --stdio --config FILE:
        \(JSONValue.object(ready).text())
        """)
    }
    fflush(nil)
  }

  /// What other programs need to meet the servers.
  private static func hints(_ secure: SecureAddresses) -> String {
    """

      Other programs, a browser too, must trust this file, which speaks for these names only:
        \(secure.authorityFile)
      (curl --cacert FILE, SSL_CERT_FILE=FILE), and find the names in /etc/hosts:
        \(hostsLine(secure))\(portHint(secure))

    """
  }

  private static func portHint(_ secure: SecureAddresses) -> String {
    secure.port == 443
      ? ""
      : """

        Handles are looked up at port 443 and names for servers without one: a program that insists
        on that needs --port 443, in a network namespace of its own if need be.
      """
  }

  private static func hostsLine(_ secure: SecureAddresses) -> String {
    "\(secure.address) \(secure.names.joined(separator: " "))"
  }
}
