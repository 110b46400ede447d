"""The linter passes the bundle as it is, and finds each single thing that is put out of order."""

from __future__ import annotations

import copy
import json
import unittest
from functools import cache
from typing import Any

from bundle import DEFAULT, Bundle
from lint_schemas import Linter

GONE = object()
LOGIN = "v1/models/login.json"
START = "v1/intents/login.start.json"
CALLBACK = "v1/intents/login.callback.json"
STATE = "$defs/state/properties/"

Change = tuple[str, str, Any]


class SpoiledBundle(Bundle):
    """The bundle with some places changed, in memory."""

    def __init__(self, changes: tuple[Change, ...]) -> None:
        self._changes = changes
        super().__init__()

    def _read(self, name: str) -> Any:
        document = copy.deepcopy(_clean(name))
        for _, path, value in (change for change in self._changes if change[0] == name):
            *steps, last = path.split("/")
            place = document
            for step in steps:
                place = place[int(step)] if isinstance(place, list) else place[step]
            if value is GONE:
                del place[last]
            else:
                place[last] = value
        return document


@cache
def _clean(name: str) -> Any:
    return json.loads((DEFAULT / name).read_text("utf-8"))


class Lint(unittest.TestCase):
    """Each test spoils the bundle in one place."""

    def findings(self, *changes: Change) -> list[str]:
        """What the linter says after (file, path, value) changes."""
        return list(Linter(SpoiledBundle(changes)).findings())

    def assert_found(self, words: str, *changes: Change) -> None:
        """The one finding, or one of them, says so."""
        found = self.findings(*changes)
        self.assertTrue(any(words in finding for finding in found), found)

    def test_the_bundle_is_clean(self) -> None:
        self.assertEqual([], self.findings())

    def test_identity_and_dialect(self) -> None:
        self.assert_found("$id is not", (LOGIN, "$id", "https://example.com/login.json"))
        self.assert_found("dialect", (LOGIN, "$schema", "http://json-schema.org/draft-07/schema"))
        self.assert_found("is no schema", (LOGIN, STATE + "handle/type", "text"))

    def test_only_the_grain_profile(self) -> None:
        for keyword in ("allOf", "anyOf", "not", "patternProperties", "title", "default"):
            value: Any = [{}] if keyword.endswith("Of") else {}
            value = "x" if keyword in ("title", "default") else value
            with self.subTest(keyword):
                words = f"{keyword} is not in the grain profile"
                self.assert_found(words, (LOGIN, STATE + f"handle/{keyword}", value))
        self.assert_found("title is not in", (LOGIN, "title", "Login"))

    def test_every_object_has_a_name(self) -> None:
        anonymous = {"type": "object", "properties": {}}
        self.assert_found("named $defs entry", (LOGIN, STATE + "handle", anonymous))
        self.assert_found("named $defs entry", (LOGIN, STATE + "can", {"items": anonymous}))

    def test_references_lead_somewhere(self) -> None:
        self.assert_found("leads nowhere", (LOGIN, STATE + "can", {"$ref": "#/$defs/cann"}))

    def test_integers_have_bounds(self) -> None:
        place = "$defs/media/properties/width/"
        for key, value in (("maximum", GONE), ("minimum", GONE), ("maximum", 2**53)):
            self.assert_found("minimum and a maximum", ("v1/common/media.json", place + key, value))

    def test_branches_of_one_of_are_told_apart_by_a_constant(self) -> None:
        file = "v1/effects/auth.present.json"
        self.assert_found("no const tag", (file, "$defs/viaCore/properties/via/const", "shell"))
        self.assert_found("no const tag", (file, "$defs/viaShell/required", ["scheme"]))

    def test_direction_decides_whether_an_object_is_open(self) -> None:
        self.assert_found("not closed", (START, "$defs/params/additionalProperties", GONE))
        location = "$defs/location/additionalProperties"
        self.assert_found("not closed", ("v1/intents/gallery.setDetails.json", location, GONE))
        self.assert_found("is closed", (LOGIN, "$defs/state/additionalProperties", False))
        self.assert_found("is closed", (LOGIN, "$defs/suggestion/additionalProperties", False))
        result = "$defs/result/additionalProperties"
        self.assert_found("not closed", ("v1/effects/url.open.json", result, GONE))
        shared = {"$ref": "../common/media.json#/$defs/media"}
        change = (START, "$defs/params/properties/provider", shared)
        self.assert_found("travels both ways", change)

    def test_a_collection_has_its_order(self) -> None:
        self.assert_found("Order is missing", (LOGIN, STATE + "suggestionOrder", GONE))
        self.assert_found("array of keys", (LOGIN, STATE + "suggestionOrder/type", "string"))
        required = ["status", "phase", "can", "handle", "suggestion"]
        self.assert_found("required together", (LOGIN, "$defs/state/required", required))

    def test_what_is_required_is_described_and_what_is_retired_stays_so(self) -> None:
        self.assert_found("not described", (START, "$defs/params/required", ["mode"]))
        self.assert_found("retired", (LOGIN, "$defs/state/x-grain-reserved", ["handle"]))
        self.assert_found("no feature", (START, "$defs/params/x-grain-feature", "login.fast"))

    def test_a_string_named_like_a_secret_is_annotated_with_a_reason(self) -> None:
        names = ["accessToken", "clientSecret", "codeVerifier", "password", "cookieJar", "code",
                 "authorization", "callbackUrl", "privateKey", "jwk", "dpopProof", "nonce",
                 "state"]  # fmt: skip
        for name in names:
            with self.subTest(name):
                self.assert_found("named like a secret", (LOGIN, STATE + name, {"type": "string"}))
        self.assertEqual([], self.findings((LOGIN, STATE + "userCode2", {"type": "string"})))
        self.assertEqual([], self.findings((LOGIN, STATE + "tokens", {"type": "boolean"})))
        place = "$defs/params/properties/callbackUrl/"
        self.assert_found("named like", (CALLBACK, place + "x-grain-sensitive", GONE))
        self.assert_found("one of none", (CALLBACK, place + "x-grain-sensitive", "yes"))
        self.assert_found("gives the reason", (CALLBACK, place + "description", GONE))

    def test_nothing_outbound_may_be_a_secret(self) -> None:
        secret = {"type": "string", "description": "Why not?", "x-grain-sensitive": "secret"}
        self.assert_found("only an intent", (LOGIN, STATE + "accessToken", secret))

    def test_the_manifest_lists_every_file_and_every_file_exists(self) -> None:
        manifest = "v1/manifest.json"
        self.assert_found("listed nowhere", (manifest, "models/drafts", GONE))
        self.assert_found(
            "is missing", (manifest, "models/feed", {"schema": "v1/models/feed.json"})
        )
        self.assert_found("has no result", ("v1/intents/login.start.json", "$defs/result", GONE))

    def test_the_registry_is_consistent(self) -> None:
        errors = "v1/errors.json"
        self.assert_found("outside both blocks", (errors, "errors/30/code", 42))
        self.assert_found("does not list", (errors, "errors/30/message/fallback", "Ask {someone}."))
        self.assert_found("key of two kinds", (errors, "errors/30/message/key", "network.tls"))


if __name__ == "__main__":
    unittest.main()
