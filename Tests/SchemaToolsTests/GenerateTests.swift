import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@testable import SchemaTools

@Suite("Types are generated from the schemas (§12)")
struct GenerateTests {
  @Test("what is checked in is what the schemas give")
  func upToDate() throws {
    let differences = GeneratedFiles.differences(
      try Bundles.repository(), in: SharedData.repositoryRoot)
    #expect(differences == [], "run grain-schema generate")
  }

  @Test("a difference is shown with the lines around it, and writing mends it")
  func difference() throws {
    let folder = try TemporaryFolder()
    let tree = try Bundles.small()
    let paths = GeneratedFiles.all(of: tree).map(\.path)
    #expect(
      GeneratedFiles.differences(tree, in: URL(filePath: folder.path))
        == paths.map { "\($0): is missing" })
    #expect(try GeneratedFiles.write(tree, to: URL(filePath: folder.path)) == paths)
    #expect(try GeneratedFiles.write(tree, to: URL(filePath: folder.path)) == [])
    let changed = try Bundles.small([.put("/schemaRevision", 2, in: Bundles.manifest)])
    let difference = try #require(
      GeneratedFiles.differences(changed, in: URL(filePath: folder.path)).first)
    #expect(difference.contains("-export type SchemaRevision = 1;"))
    #expect(difference.contains("+export type SchemaRevision = 2;"))
  }

  @Test(
    "TypeScript has an interface for an open object, unions for enums, tables by name",
    arguments: [
      """
      export interface LampState {
        status: "idle" | "busy";
      """,
      "  phase: \"off\" | \"on\" | (string & {});",
      "  /** Its name. */\n  name?: string;",
      "  bulbOrder: string[];\n  bulb: Record<string, LampBulb>;",
      "export type LampBlinkResult = LampBlinkDone | LampBlinkDark;",
      """
      export interface LampBlinkDone {
        outcome: "done";
      }
      """,
      "  lamp: { state: LampState; args: Record<string, never>; schema: \"v1/models/lamp.json\" };",
      "  \"lamp.set\": { params: LampSetParams; result: LampSetResult };",
      "  /** Sells the lamp. No core serves it yet. */",
      "export type FeatureName = \"lamp.colour\" | (string & {});",
    ])
  func typeScript(part: String) throws {
    // Enums inside an object are written where they are; a `$defs` entry has a name of its own.
    let text = TypeScriptWriter.text(of: try Bundles.small())
    #expect(text.contains(part), "\(text)")
  }

  @Test(
    "Python has TypedDicts, literals and a typed call",
    arguments: [
      """
      class LampState(TypedDict):
          \"\"\"The lamp.\"\"\"

          status: Literal["idle", "busy"]
          phase: str
      """,
      "    #: Its name.\n    name: NotRequired[str]",
      "    bulbOrder: List[str]\n    bulb: Dict[str, LampBulb]",
      "LampBlinkResult = Union[\"LampBlinkDone\", \"LampBlinkDark\"]",
      "    accepted: NotRequired[Literal[True]]",
      """
          def call(
              self, method: Literal["lamp.set"], params: LampSetParams, timeout: float = 30
          ) -> LampSetResult: ...
      """,
      "params: Optional[Dict[str, Any]] = None",
      "ModelName = Literal[\"lamp\"]",
    ])
  func python(part: String) throws {
    let text = PythonWriter.text(of: try Bundles.small())
    #expect(text.contains(part), "\(text)")
  }

  @Test("long words are broken between words")
  func wrapping() {
    #expect(TextLayout.wrapped("one two three", width: 7) == ["one two", "three"])
    #expect(TextLayout.wrapped("unbreakable so", width: 4) == ["unbreakable", "so"])
    #expect(TextLayout.wrapped("", width: 4) == [])
  }
}
