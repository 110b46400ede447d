// swift-tools-version: 6.2
import PackageDescription

// The architecture, ground floor first. A room may import the floors below it, and a neighbour
// only where it is listed; `room` (at the foot) applies the house settings to each.
let package = Package(
  name: "grain-core",
  targets: [
    // MARK: Floor 0 — system libraries.
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLinux"),
    // Schemas/v1, put into the program by the compiler.
    .target(name: "CSchemaFiles"),
    // What a program says while it crashes, where Swift must not run.
    .target(name: "CLastWords"),

    // MARK: Floor 1 — the machine. No room here knows a protocol of ours.
    .room("SystemClients", over: ["CLinux"]),
    .room("StrictJSON"),
    .room("OpenSSLCrypto", over: ["COpenSSL"]),
    .room("SQLiteDatabase", over: ["CSQLite"]),
    .room("HTTPTransport", over: ["COpenSSL", "SystemClients"]),
    .room("HTTPServing", over: ["COpenSSL", "HTTPTransport", "SystemClients"]),
    .room("JOSE", over: ["OpenSSLCrypto", "StrictJSON"]),
    .room("JSONRPC", over: ["StrictJSON", "SystemClients"]),
    .room("PhotoFile"),

    // MARK: Floor 2 — protocols.
    .room("ATSyntax", over: ["OpenSSLCrypto", "StrictJSON", "SystemClients"]),
    .room("ATIdentity", over: ["ATSyntax", "HTTPTransport", "StrictJSON", "SystemClients"]),
    .room(
      "OAuth",
      over: [
        "HTTPServing", "HTTPTransport", "JOSE", "OpenSSLCrypto", "StrictJSON", "SystemClients",
      ]),
    .room(
      "ATOAuth",
      over: [
        "ATIdentity", "ATSyntax", "HTTPTransport", "JOSE", "OAuth", "OpenSSLCrypto", "StrictJSON",
        "SystemClients",
      ]),
    .room("ATXRPC", over: ["ATSyntax", "HTTPTransport", "StrictJSON"]),
    .room(
      "PixivOAuth",
      over: ["HTTPTransport", "OAuth", "OpenSSLCrypto", "StrictJSON", "SystemClients"]),
    .room(
      "PlatriumTokens",
      over: ["HTTPTransport", "OAuth", "OpenSSLCrypto", "StrictJSON", "SystemClients"]),

    // MARK: Floor 3 — the product.
    .room("CredentialVault", over: ["OpenSSLCrypto", "SQLiteDatabase", "SystemClients"]),
    .room("GrainLexicon", over: ["ATSyntax", "StrictJSON"]),
    .room(
      "GrainServices",
      over: [
        "ATIdentity", "ATOAuth", "ATSyntax", "ATXRPC", "CredentialVault", "GrainLexicon",
        "HTTPTransport", "JOSE", "OAuth", "OpenSSLCrypto", "PhotoFile", "PixivOAuth",
        "PlatriumTokens", "SQLiteDatabase", "StrictJSON", "SystemClients",
      ]),
    .room("GrainSnapshots"),
    .room(
      "GrainModels",
      over: ["ATSyntax", "GrainLexicon", "GrainServices", "GrainSnapshots", "OpenSSLCrypto"]),
    .room(
      "GrainBridge",
      over: [
        "GrainModels", "GrainServices", "GrainSnapshots", "JSONRPC", "OpenSSLCrypto", "StrictJSON",
        "SystemClients",
      ]),

    // MARK: Floor 4 — the judge, the wiring, the programs.
    .room(
      "Sandbox",
      over: [
        "ATSyntax", "GrainLexicon", "HTTPServing", "HTTPTransport", "JOSE", "OpenSSLCrypto",
        "SQLiteDatabase", "StrictJSON", "SystemClients",
      ]),
    .room("ShellClient", over: ["StrictJSON"]),
    .room("SchemaTools", over: ["StrictJSON", "SystemClients"]),
    .room(
      "GrainCore",
      over: [
        "ATIdentity", "ATOAuth", "ATSyntax", "CSchemaFiles", "CredentialVault", "GrainBridge",
        "GrainLexicon",
        "GrainModels", "GrainServices", "GrainSnapshots", "HTTPTransport", "JSONRPC", "OAuth",
        "OpenSSLCrypto", "SQLiteDatabase", "StrictJSON", "SystemClients",
      ]),
    .program(
      "grain-core",
      over: [
        "CLastWords", "CLinux", "GrainCore", "HTTPServing", "HTTPTransport", "JSONRPC", "PhotoFile",
        "Sandbox", "ShellClient", "StrictJSON", "SystemClients",
      ]),
    .program("grain-schema", over: ["SchemaTools", "SystemClients"]),

    .program(
      "Benchmarks",
      over: [
        "ATIdentity", "ATOAuth", "ATSyntax", "ATXRPC", "CLinux", "CredentialVault",
        "GrainLexicon", "GrainServices", "HTTPTransport", "OAuth", "OpenSSLCrypto", "Sandbox",
        "ShellClient", "StrictJSON", "SystemClients",
        // Not imported: the program that is measured is built with whatever measures it.
        "grain-core",
      ]),

    .room(
      "Transcripts",
      over: [
        "HTTPTransport", "JSONRPC", "OpenSSLCrypto", "Sandbox", "StrictJSON", "SystemClients",
      ]),
    .program("grain-script", over: ["SystemClients", "Transcripts"]),

    // MARK: Tests. A test target may import its room and whatever that room imports.
    .support(
      "GrainTestSupport",
      over: [
        "ATSyntax", "COpenSSL", "CredentialVault", "GrainModels", "GrainServices", "GrainSnapshots",
        "HTTPServing",
        "HTTPTransport", "OpenSSLCrypto", "StrictJSON", "SystemClients",
      ]),
    .tests("SystemClients", and: ["CLinux"]),
    .tests("StrictJSON"),
    .tests("OpenSSLCrypto", and: ["StrictJSON"]),
    .tests("SQLiteDatabase", and: ["CSQLite"]),
    .tests("HTTPTransport", and: ["HTTPServing", "SystemClients"]),
    .tests("HTTPServing", and: ["HTTPTransport", "SystemClients"]),
    .tests("JOSE", and: ["OpenSSLCrypto", "StrictJSON"]),
    .tests("JSONRPC", and: ["StrictJSON", "SystemClients"]),
    .tests("PhotoFile"),
    .tests("ATSyntax", and: ["OpenSSLCrypto", "StrictJSON"]),
    .tests("ATIdentity", and: ["ATSyntax", "HTTPTransport", "StrictJSON", "SystemClients"]),
    .tests(
      "OAuth",
      and: [
        "HTTPServing", "HTTPTransport", "JOSE", "OpenSSLCrypto", "StrictJSON", "SystemClients",
      ]),
    .tests(
      "ATOAuth",
      and: [
        "ATIdentity", "ATSyntax", "HTTPTransport", "JOSE", "OAuth", "OpenSSLCrypto", "StrictJSON",
        "SystemClients",
      ]),
    .tests("ATXRPC", and: ["ATSyntax", "HTTPTransport", "StrictJSON"]),
    .tests(
      "PixivOAuth",
      and: ["HTTPTransport", "OAuth", "OpenSSLCrypto", "StrictJSON", "SystemClients"]),
    .tests(
      "PlatriumTokens",
      and: ["HTTPTransport", "OAuth", "OpenSSLCrypto", "StrictJSON", "SystemClients"]),
    .tests("CredentialVault", and: ["OpenSSLCrypto", "SQLiteDatabase", "SystemClients"]),
    .tests("GrainLexicon", and: ["ATSyntax", "StrictJSON"]),
    .tests(
      "GrainServices",
      and: [
        "ATIdentity", "ATOAuth", "ATSyntax", "ATXRPC", "CredentialVault", "GrainLexicon",
        "HTTPServing", "HTTPTransport", "JOSE", "OAuth", "OpenSSLCrypto", "PhotoFile",
        "PixivOAuth", "PlatriumTokens", "Sandbox", "SQLiteDatabase", "StrictJSON", "SystemClients",
      ]),
    .tests("GrainSnapshots", and: ["StrictJSON"]),
    .tests(
      "GrainModels",
      and: [
        "ATSyntax", "GrainServices", "GrainSnapshots", "OpenSSLCrypto", "StrictJSON",
        "SystemClients",
      ]),
    .tests(
      "GrainBridge",
      and: [
        "ATSyntax", "GrainModels", "GrainServices", "GrainSnapshots", "JSONRPC", "StrictJSON",
        "SystemClients",
      ]),
    .tests("ShellClient", and: ["StrictJSON"]),
    .tests("SchemaTools", and: ["StrictJSON", "SystemClients"]),
    .tests(
      "Sandbox",
      and: [
        "ATSyntax", "GrainLexicon", "HTTPServing", "HTTPTransport", "JOSE", "OpenSSLCrypto",
        "SQLiteDatabase", "StrictJSON", "SystemClients",
      ]),
    .tests(
      "GrainCore",
      and: ["GrainServices", "HTTPTransport", "JSONRPC", "Sandbox", "StrictJSON", "SystemClients"]),
    .tests("Benchmarks"),
    .tests("Transcripts", and: ["OpenSSLCrypto", "StrictJSON", "SystemClients"]),
    .suite("BridgeContractTests", over: ["GrainSnapshots", "StrictJSON"]),
    .suite(
      "ScenarioTests",
      over: [
        "ATOAuth", "ATSyntax", "CLinux", "CredentialVault", "GrainBridge", "GrainCore",
        "GrainLexicon", "GrainServices", "HTTPTransport", "JSONRPC", "OpenSSLCrypto", "PhotoFile",
        "SQLiteDatabase", "Sandbox", "ShellClient", "StrictJSON", "SystemClients", "Transcripts",
      ]),
  ]
)

// The fuzzers of `.ci/fuzz`, which link only where everything is compiled for them.
if Context.environment["GRAIN_FUZZ"] != nil {
  let rooms: [(name: String, over: [Target.Dependency])] = [
    ("EnvelopeFuzz", ["JSONRPC", "StrictJSON"]),
    (
      "DocumentFuzz",
      [
        "ATIdentity", "ATOAuth", "ATSyntax", "ATXRPC", "HTTPServing", "HTTPTransport", "OAuth",
        "OpenSSLCrypto",
        "PhotoFile", "StrictJSON",
      ]
    ),
  ]
  for room in rooms {
    package.targets.append(
      .executableTarget(
        name: room.name, dependencies: room.over, path: "Tests/\(room.name)",
        swiftSettings: .house,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
  }
}

// MARK: House settings.
extension [SwiftSetting] {
  /// Warnings are errors, imports are explicit, isolation follows the caller.
  static var house: [SwiftSetting] {
    [
      .treatAllWarnings(as: .error),
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"),
    ]
  }
}

extension Target {
  /// A room of the house: a library target, and every room it imports.
  static func room(_ name: String, over rooms: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: rooms, swiftSettings: .house)
  }

  /// An executable.
  static func program(_ name: String, over rooms: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: rooms, swiftSettings: .house)
  }

  /// What tests share; a plain target that no product links.
  static func support(_ name: String, over rooms: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: rooms, path: "Tests/\(name)", swiftSettings: .house)
  }

  /// The tests of one room.
  static func tests(_ room: String, and rooms: [Target.Dependency] = []) -> Target {
    .suite("\(room)Tests", over: [.target(name: room)] + rooms)
  }

  /// Tests that belong to no single room.
  static func suite(_ name: String, over rooms: [Target.Dependency]) -> Target {
    .testTarget(
      name: name, dependencies: rooms + ["GrainTestSupport"], swiftSettings: .house)
  }
}
