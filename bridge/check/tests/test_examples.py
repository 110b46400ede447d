"""The examples beside the schemas: the valid ones pass, the invalid ones fail where they say."""

from __future__ import annotations

import unittest

from jsonschema import Draft202012Validator

import rules
from bundle import Bundle


class Examples(unittest.TestCase):
    """Judged by `jsonschema`, which shares no code with the core."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.bundle = Bundle()

    def test_every_schema_is_one_by_its_own_dialect(self) -> None:
        for name, schema in self.bundle.schemas.items():
            with self.subTest(file=name):
                Draft202012Validator.check_schema(schema)

    def test_every_valid_example_is_accepted(self) -> None:
        for path, example in self.bundle.examples():
            with self.subTest(file=path.name, note=example["note"]):
                found = rules.refusals(self.bundle, example["schema"], example["value"])
                self.assertEqual([], [str(refusal) for refusal in found])

    def test_every_invalid_example_is_refused_at_the_place_it_names(self) -> None:
        for path, example in self.bundle.examples(invalid=True):
            with self.subTest(file=path.name, why=example["why"]):
                found = rules.refusals(self.bundle, example["schema"], example["value"])
                self.assertIn(example["at"], [refusal.at for refusal in found], example["why"])

    def test_every_schema_has_a_valid_example_and_every_shape_with_members_an_invalid_one(
        self,
    ) -> None:
        valid = {example["schema"].split("#")[0] for _, example in self.bundle.examples()}
        invalid = {example["schema"].split("#")[0] for _, example in self.bundle.examples(True)}
        # Shapes shared by others are exercised through those.
        shared = {"v1/common/intent.json", "v1/common/model-header.json"}
        for name, schema in self.bundle.schemas.items():
            if name in shared:
                continue
            self.assertIn(name, valid)
            is_result = name.endswith(".result.json")
            has_members = any(d.get("properties") for d in schema["$defs"].values())
            if has_members and not is_result:
                self.assertIn(name, invalid)

    def test_every_part_of_an_intent_or_effect_has_an_example(self) -> None:
        seen = {example["schema"] for _, example in self.bundle.examples()}
        for intent in self.bundle.manifest["intents"].values():
            self.assertIn(f"{intent['schema']}#/$defs/params", seen)
        for effect in self.bundle.manifest["effects"].values():
            for part in ("args", "result"):
                self.assertIn(f"{effect['schema']}#/$defs/{part}", seen)

    def test_an_open_object_may_say_more_and_a_closed_one_may_not(self) -> None:
        for path, example in self.bundle.examples():
            value = example["value"]
            if not isinstance(value, dict):
                continue
            more = {**value, "xNew": 1}
            found = self.bundle.refusals(example["schema"], more)
            closed = any(refusal.keyword == "additionalProperties" for refusal in found)
            inbound = "params" in example["schema"] and "perform" not in example["schema"]
            with self.subTest(file=path.name, note=example["note"]):
                if example["schema"].startswith("v1/intents/"):
                    self.assertEqual(closed, inbound)
                if example["schema"].startswith("v1/models/") and "args" not in example["schema"]:
                    self.assertFalse(found)


if __name__ == "__main__":
    unittest.main()
