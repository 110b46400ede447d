import Foundation
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients

/// A core in a process of its own against a sandbox in ours, and a shell whose person signs in by
/// walking the pages.
final class SandboxedCore {
  let program: ChildProgram
  let shell: ShellClient
  private let person: Person

  /// Starts the core on a data folder and says hello.
  ///
  /// What `limits` says of publishing goes over the built-in values.
  static func start(
    _ bench: Bench, _ network: SandboxNetwork, dataFolder: String, limits: JSONObject = [:]
  ) async throws -> SandboxedCore {
    var configuration = network.addresses.configuration
    configuration["limits"] = .object(limits)
    let file = "\(dataFolder).json"
    try PrivateFiles.write(configuration.serialized(), to: file)
    let program = try ChildProgram(
      bench.core,
      ["--stdio", "--data-dir", dataFolder, "--config", file, "--log-level", "error"],
      environment: bench.environment())
    let person = Person(
      http: .live(network.addresses.policy, userAgent: "benchmarks", clock: .live))
    let shell = ShellClient(
      connection: ShellConnection(input: program.output, output: program.input)
    ) { await person.perform($0) }
    await person.attach(shell)
    await shell.start()
    try await shell.call("initialize", CoreTalk.hello)
    try await shell.call(
      "models/subscribe", ["subscription": "accounts", "model": "accounts", "delivery": "merge"])
    return SandboxedCore(program, shell, person)
  }

  private init(_ program: ChildProgram, _ shell: ShellClient, _ person: Person) {
    self.program = program
    self.shell = shell
    self.person = person
  }

  /// What the system says about the core.
  var facts: ProcessFacts { ProcessFacts(processID: program.processID) }

  /// Signs in as Alice, unless she is.
  func signIn() async throws {
    try await shell.call("login.start")
    try await succeed(try await shell.call("login.submitHandle", ["handle": "alice.test"]))
    try await shell.wait("accounts") { $0["session"] == "signedIn" }
  }

  /// Waits for the operation of a verdict and insists that it succeeded.
  func succeed(_ verdict: JSONObject) async throws {
    guard let operation = verdict["operation"]?.stringValue else { return }
    let ending = try await shell.ending(of: operation)
    guard ending["outcome"] == "succeeded" else {
      throw BenchError(JSONValue.object(ending).text())
    }
  }

  /// How many requests the person's browser has made, by method and path.
  func browserRequests() async -> [String: Int] { await person.requests }

  /// Says goodbye and waits for the end.
  func end() async throws {
    try await shell.shutdown()
    try program.waitForEnd()
  }
}

/// Whoever sits in front of the shell.
private actor Person {
  private let http: HTTPClient
  private let tally = Locked<[String: Int]>([:])
  private var shell: ShellClient?

  init(http: HTTPClient) {
    let tally = tally
    self.http = HTTPClient { request, progress async throws(HTTPError) in
      tally.withLock { $0["\(request.method) \(request.url.path())", default: 0] += 1 }
      return try await http.send(request, progress)
    }
  }

  var requests: [String: Int] { tally.withLock { $0 } }

  func attach(_ shell: ShellClient) { self.shell = shell }

  func perform(_ params: JSONObject) async -> EffectAnswer {
    guard params["effect"] == "auth.present", let shell,
      let page = params["args"]?["url"]?.stringValue.flatMap({ URL(string: $0) })
    else { return .error(code: 6001, kind: "effect.unsupported") }
    do {
      let callback = try await SandboxVisitor(http: http).approve(
        authorizationURL: page, handle: "alice.test", password: "sandbox")
      try await shell.call("login.callback", ["callbackUrl": .string(callback.absoluteString)])
      return .result(["outcome": "callbackDelivered"])
    } catch {
      return .error(code: 6002, kind: "effect.failed")
    }
  }
}
