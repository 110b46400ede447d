import StrictJSON
import Testing

@testable import Transcripts

@Suite("Reading a script (§13)")
struct TranscriptTests {
  private static let header =
    #"{"transcript":1,"title":"t","schemas":"v1","core":{"args":["--profile=test"]}}"#

  private static func read(_ lines: [String]) throws(TranscriptFault) -> Transcript {
    try Transcript(Array(lines.joined(separator: "\n").utf8), path: "a.ndjson")
  }

  @Test("every kind of step is read, with the line it stands on; blank lines are none")
  func steps() throws {
    let transcript = try Self.read([
      Self.header, "", #"{"send":{"id":1,"method":"ping"}}"#,
      #"{"expect":{"id":1},"strict":true,"within":5,"as":{"a":"/result"}}"#,
      #"{"wait":{"model":"login","where":{"phase":"signedOut"}},"within":1000}"#,
      #"{"golden":{"model":"login","file":"a.json"}}"#, #"{"answer":{"id":"c-1","result":{}}}"#,
      #"{"never":{"method":"x"},"for":10}"#, #"{"advance":5}"#,
      #"{"fault":"network.slow","ms":5,"on":false}"#, #"{"raw":"{"}"#, #"{"raw":{"hex":"ff 0a"}}"#,
      #"{"raw":[{"text":"[","times":3},"\n"]}"#, #"{"restart":{"signal":"KILL"}}"#,
      #"{"ui":{"type":"a"}}"#, #"{"shot":"a"}"#, #"{"note":"a"}"#, #"{"end":{"exitCode":65}}"#,
    ])
    #expect(transcript.steps.map(\.number) == Array(3...18))
    #expect(transcript.restarts)
    #expect(!transcript.isRecording)
    #expect(transcript.arguments == ["--profile=test"])
    let raw = transcript.steps.compactMap { line -> [UInt8]? in
      if case .raw(let bytes) = line.step { bytes } else { nil }
    }
    #expect(raw == [Array("{".utf8), [0xFF, 0x0A], Array("[[[\n".utf8)])
  }

  @Test("lines with a time are a recording")
  func recording() throws {
    #expect(
      try Self.read([Self.header, #"{"send":{"method":"exit"},"t":12}"#]).isRecording)
  }

  @Test(
    "what cannot be run is refused by its line, before anything is started",
    arguments: [
      ([], 1), (["{}"], 1), ([header, "not json"], 2), ([header, "[]"], 2),
      ([header, "{}"], 2), ([header, #"{"send":{},"expect":{}}"#], 2),
      ([header, #"{"send":{},"colour":1}"#], 2), ([header, #"{"send":7}"#], 2),
      ([header, "", #"{"expect":{"a":"$nothing"}}"#], 3), ([header, #"{"advance":"1"}"#], 2),
      ([header, #"{"wait":{"where":{}}}"#], 2),
      ([header, #"{"golden":{"model":"a","file":"../b"}}"#], 2),
      ([header, #"{"raw":{"hex":"f"}}"#], 2), ([header, #"{"end":{"by":"magic"}}"#], 2),
      ([header, #"{"expect":{},"as":{"a":"b"}}"#], 2),
      ([#"{"transcript":1,"schemas":"v2"}"#], 1),
    ])
  func mistakes(lines: [String], line: Int) throws {
    #expect {
      try Self.read(lines)
    } throws: { error in
      "\(error)".hasPrefix("a.ndjson:\(line): ")
    }
  }
}

@Suite("Golden files")
struct GoldenFilesTests {
  private static let state: JSONValue = ["a": 1, "b": ["c": "x"], "d": [1, 2]]

  @Test("the same state has no difference; every other one is named, member by member")
  func differences() {
    #expect(GoldenFiles.differences(Self.state, Self.state).isEmpty)
    #expect(
      GoldenFiles.differences(Self.state, ["a": 1, "b": ["c": "y"], "d": [1], "e": true])
        == [
          #"- /b/c: "x""#, #"+ /b/c: "y""#, "- /d: [1,2]", "+ /d: [1]", "+ /e: true",
        ])
    #expect(GoldenFiles.differences(Self.state, ["a": 1, "d": [1, 2]]) == [#"- /b: {"c":"x"}"#])
  }

  @Test("matchers stand where runs differ")
  func matchers() {
    #expect(
      GoldenFiles.differences(
        ["uri": #"$re:^http\:\/\/127\.0\.0\.1:[0-9]+\/a$"#], ["uri": "http://127.0.0.1:4711/a"]
      ).isEmpty)
  }
}

@Suite("What reports show")
struct MessageTrailTests {
  @Test("the last ten messages, without secrets and no longer than a few lines")
  func trail() {
    let trail = MessageTrail()
    trail.hide("app:/cb?code=1&state=2", as: "callbackUrl")
    for number in 0..<20 { trail.add("→", ["id": JSONValue(number)]) }
    trail.add("→", ["params": ["callbackUrl": "app:/cb?code=9"]])
    trail.add("→", ["params": ["note": "see app:/cb?code=1&state=2"]])
    trail.add("←", ["params": ["args": ["url": "http://a/?request_uri=urn:x"]]])
    trail.add("←", ["text": .string(String(repeating: "a", count: 5_000))])
    #expect(trail.lines.count == 10)
    #expect(trail.lines.first == #"→ {"id":14}"#)
    let text = trail.lines.joined()
    #expect(!text.contains("code=") && !text.contains("request_uri"))
    #expect(text.contains("$secret:callbackUrl"))
    #expect(text.utf8.count < 1_500)
  }
}
