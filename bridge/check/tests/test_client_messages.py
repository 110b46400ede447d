"""What the Python client writes is what the schemas say a shell may write."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import rules
from bundle import Bundle

PYTHON = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PYTHON))

from grain_core import Client, EffectFailed, Problem  # noqa: E402 (the path comes first)


class ClientMessages(unittest.TestCase):
    """The client talks to a scripted core, which notes every line."""

    def setUp(self) -> None:
        self.bundle = Bundle()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = Path(folder.name, "script.json")

    def test_every_message_of_a_session_fits_its_schema(self) -> None:
        client = Client.spawn([sys.executable, self.fake(), str(self.write_script())])
        client.on_effect("auth.present", lambda effect: "dismissed", presentations=["webview"])
        client.on_effect("url.open", self.fails)
        client.initialize("check", "1", locale="de", on_progress=lambda params: None)
        gallery = client.subscribe("galleryPublish", {"draft": "d-1"})
        gallery.wait(lambda state: state["n"] == 2)
        client.get("galleryPublish", {"draft": "d-1"})
        client.unsubscribe(gallery)
        client.call("operations/cancel", operation="op-1")
        with self.assertRaises(Problem):
            client.call("login.submitHandle", handle="alice.test")
        self.assertEqual(0, client.close())

        text = self.script.with_suffix(".seen").read_text("utf-8")
        seen = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(12, len(seen))
        for message in seen:
            with self.subTest(message=message):
                self.assertEqual([], [str(refusal) for refusal in self.refusals(message)])

    def fails(self, effect: Any) -> str:
        """A handler that cannot."""
        raise EffectFailed("effect.denied")

    def refusals(self, message: dict[str, Any]) -> list[Any]:
        """What the schemas say against a message from the shell."""
        methods = self.bundle.manifest["methods"]["shellToCore"]
        envelope = "v1/protocol/envelope.json#/$defs/"
        name = message.get("method")
        if "error" in message:
            found = rules.refusals(self.bundle, envelope + "errorResponse", message)
            return found + rules.refusals(self.bundle, "v1/protocol/error.json", message["error"])
        if name is None:
            found = rules.refusals(self.bundle, envelope + "response", message)
            result = "v1/effects/auth.present.json#/$defs/result"
            return found + rules.refusals(self.bundle, result, message["result"])
        shape = "request" if "id" in message else "notification"
        found = rules.refusals(self.bundle, envelope + shape, message)
        entry = {**methods["requests"], **methods["notifications"]}.get(name)
        intent = self.bundle.manifest["intents"].get(name)
        schema = entry["params"] if entry else intent["schema"] + "#/$defs/params"
        return found + rules.refusals(self.bundle, schema, message["params"])

    def fake(self) -> str:
        """The scripted core."""
        return str(PYTHON / "tests/fake_core.py")

    def write_script(self) -> Path:
        """A core that makes the client write one message of every kind."""
        snapshot = {"subscription": "galleryPublish.1", "frame": 1, "causedBy": []}
        error = {"code": 2001, "message": "m", "data": {"kind": "login.handleInvalid"}}

        def tell(method: str, **params: Any) -> dict[str, Any]:
            return {"say": {"jsonrpc": "2.0", "method": method, "params": params}}

        def ask(identifier: str, effect: str) -> dict[str, Any]:
            params = {"effect": effect, "version": 1, "operation": "op-1", "args": {}}
            return {"say": {"jsonrpc": "2.0", "id": identifier, "method": "effects/perform",
                            "params": params}}  # fmt: skip

        def call(method: str, **result: Any) -> list[dict[str, Any]]:
            reply = {"jsonrpc": "2.0", "id": "$id", "result": result}
            return [{"await": {"method": method}}, {"say": reply}]

        steps = [
            *call("initialize", limits={"maxInFlight": 64}),
            *call("models/subscribe"),
            tell("models/snapshot", **snapshot, revision=1, state={"n": 1}),
            tell("models/snapshot", **snapshot, revision=9, base=8, merge={"n": 2}),
            *call("models/resync"),
            tell("models/snapshot", **snapshot, revision=9, state={"n": 2}),
            *call("models/get", state={"n": 2}),
            *call("models/unsubscribe"),
            {"await": {"method": "operations/cancel"}, "as": "cancel"},
            ask("c-1", "auth.present"),
            {"await": {"id": "c-1"}, "as": "effect"},
            ask("c-2", "url.open"),
            {"await": {"id": "c-2"}, "as": "effect"},
            {"say": {"jsonrpc": "2.0", "id": "c-3", "method": "windows/move"}},
            {"await": {"id": "c-3"}, "as": "effect"},
            {"say": {"jsonrpc": "2.0", "id": "$cancel", "result": {"cancelling": False}}},
            {"await": {"method": "login.submitHandle"}},
            {"say": {"jsonrpc": "2.0", "id": "$id", "error": error}},
            *call("shutdown"),
            {"await": {"method": "exit"}},
        ]
        self.script.write_text(json.dumps(steps), "utf-8")
        return self.script


if __name__ == "__main__":
    unittest.main()
