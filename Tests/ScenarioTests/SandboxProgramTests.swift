import Foundation
import GrainTestSupport
import HTTPTransport
import StrictJSON
import Testing

@Suite(
  "grain-core sandbox as a program", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct SandboxProgramTests {
  @Test("what it prints is a configuration a core works with; a restart meets the same network")
  func configuration() async throws {
    let folder = try TemporaryFolder()
    let configuration = folder.path("config.json")
    let photos = try SamplePhotoFiles(in: folder).paths
    var did = ""
    for run in 1...2 {
      let sandbox = try await SandboxProcess(database: folder.path("sandbox.sqlite"))
      let printed = JSONValue.object(sandbox.configuration).serialized()
      if run == 1 {
        try Data(printed).write(to: URL(filePath: configuration))
      } else {
        #expect(try Data(contentsOf: URL(filePath: configuration)) == Data(printed))
      }
      let core = try await CoreProcess.start(
        dataFolder: folder.path("data"), ["--config", configuration], http: sandbox.http)
      try await core.shell.initialize()
      if run == 1 { did = try await core.shell.signIn() }
      try await core.shell.wait("accounts", "signed in") { $0["session"] == "signedIn" }
      let draft = try await core.shell.draft(photos)
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await sandbox.repository(did).expect(galleries: run, photos: 3)
      try await core.end()
      try await sandbox.stop()
    }
  }

  @Test("--tls serves the domain and address asked for, and says what to trust and where to look")
  func secure() async throws {
    let folder = try TemporaryFolder()
    let authority = folder.path("authority.pem")
    let sandbox = try await SandboxProcess(
      database: folder.path("sandbox.sqlite"),
      ["--tls", "--ca", authority, "--domain", "example.com", "--address", "127.0.0.2"])
    #expect(sandbox.announcement["authorityFile"] == .string(authority))
    let line = try #require(sandbox.announcement["hostsFile"]?.stringValue)
    #expect(line.hasPrefix("127.0.0.2 "))
    #expect(line.split(separator: " ").contains("alice.example.com"))
    #expect(sandbox.configuration["trustAnchors"] == .string(authority))
    #expect(sandbox.configuration["allowInsecureLoopback"] == false)
    #expect(FileManager.default.fileExists(atPath: authority))

    let configuration = folder.path("config.json")
    try Data(JSONValue.object(sandbox.configuration).serialized())
      .write(to: URL(filePath: configuration))
    let core = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--config", configuration], http: sandbox.http)
    try await core.shell.initialize()
    try await core.shell.signIn("alice.example.com")
    try await core.end()
    try await sandbox.stop()
  }

  @Test(
    "it says where the other services are and who has an account there, and takes trouble on request",
    arguments: [false, true])
  func otherServices(isSecure: Bool) async throws {
    let folder = try TemporaryFolder()
    let options = isSecure ? ["--tls", "--ca", folder.path("ca.pem")] : []
    let sandbox = try await SandboxProcess(database: folder.path("sandbox.sqlite"), options)
    let platrium = try #require(sandbox.announcement["platrium"])
    let pixiv = try #require(sandbox.announcement["pixiv"])
    #expect(platrium["accounts"]?.arrayValue?.first?["email"] == "alice@example.com")
    #expect(pixiv["accounts"]?.arrayValue?.first?["account"] == "alice")
    for member in ["clientID", "clientSecret", "hashSalt"] {
      #expect(pixiv[member]?.stringValue?.isEmpty == false)
    }
    let service = try #require(platrium["url"]?.stringValue)
    #expect(service.hasPrefix(isSecure ? "https://platrium.test:" : "http://127.0.0.1:"))
    func status(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Int {
      var request = HTTPRequest(method: method, url: try #require(URL(string: service + path)))
      if let body {
        request.headers["Content-Type"] = "application/json"
        request.body = .bytes(body.serialized())
      }
      return try await sandbox.http.send(request).status
    }
    #expect(try await status("GET", "/api/auth/me") == 401)
    let fault: JSONValue = ["server": "platrium", "fault": "status", "status": 503]
    #expect(try await status("POST", "/_sandbox/faults", fault) == 204)
    #expect(try await status("GET", "/api/auth/me") == 503)
    #expect(try await status("GET", "/api/auth/me") == 401)
    try await sandbox.stop()
  }

  @Test("without --ca the authority lies beside the data, where the next run finds it")
  func authorityBesideTheData() async throws {
    let folder = try TemporaryFolder()
    let data = folder.path("sandbox.sqlite")
    var authorities: [Data] = []
    for _ in 1...2 {
      let sandbox = try await SandboxProcess(database: data, ["--tls"])
      #expect(sandbox.announcement["authorityFile"] == .string("\(data).ca.pem"))
      authorities.append(try Data(contentsOf: URL(filePath: "\(data).ca.pem")))
      try await sandbox.stop()
    }
    #expect(authorities[0] == authorities[1])
  }

  @Test(
    "TLS options that cannot be are refused with words and the right status",
    arguments: [
      (["--ca", "x.pem"], 64, "--tls"), (["--domain", "example.com"], 64, "--tls"),
      (["--address", "127.0.0.1"], 64, "--tls"), (["--tls", "--ca"], 64, "--ca"),
      (["--tls", "--domain", "no domain"], 69, "--domain"),
      (["--tls", "--address", "192.0.2.1"], 69, "--address"),
      (["--tls", "--ca", "precious.txt"], 69, "--ca"),
    ] as [([String], Int32, String)])
  func refused(options: [String], status: Int32, word: String) async throws {
    let folder = try TemporaryFolder()
    let precious = folder.path("precious.txt")
    try Data("precious".utf8).write(to: URL(filePath: precious))
    let run = try await BuiltProgram.run(
      ["sandbox"] + options.map { $0 == "precious.txt" ? precious : $0 }, home: folder.path)
    #expect(run.status == status, Comment(rawValue: run.errors))
    #expect(run.output.isEmpty)
    #expect(run.errors.contains(word), Comment(rawValue: run.errors))
    #expect(try Data(contentsOf: URL(filePath: precious)) == Data("precious".utf8))
  }

  @Test("a port that is taken ends it with 69 and words")
  func busyPort() async throws {
    let folder = try TemporaryFolder()
    let taken = try RawServer([])
    defer { taken.stop() }
    let run = try await BuiltProgram.run(
      ["sandbox", "--port", "\(taken.port)"], home: folder.path)
    #expect(run.status == 69)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("--port"), Comment(rawValue: run.errors))
  }
}
