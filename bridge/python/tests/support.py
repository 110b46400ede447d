"""What the tests share: scripted cores and the messages they say."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from grain_core import Client

FAKE = Path(__file__).with_name("fake_core.py")
LOGIN = "v1/models/login.json"

Step = dict[str, Any]


class CoreCase(unittest.TestCase):
    """Runs a scripted core and closes it again."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = Path(folder.name, "script.json")

    def core(self, *steps: Step, **options: Any) -> Client:
        """A client of a core that does these steps."""
        self.script.write_text(json.dumps(steps), "utf-8")
        client = Client.spawn([sys.executable, "-S", str(FAKE), str(self.script)], **options)
        self.addCleanup(client.close, 1)
        return client

    def seen(self) -> list[dict[str, Any]]:
        """What the core has read so far."""
        text = self.script.with_suffix(".seen").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]


def hear(method: str, name: str = "id", **params: Any) -> Step:
    """The core awaits a message."""
    return {"await": {"method": method, "params": params}, "as": name}


def answer(name: str = "id", **result: Any) -> Step:
    """The core answers the message it kept under a name."""
    return {"say": {"jsonrpc": "2.0", "id": f"${name}", "result": result}}


def refuse(code: int, kind: str, words: str, name: str = "id", **data: Any) -> Step:
    """The core refuses the message it kept under a name."""
    message = {"key": kind, "params": {}, "fallback": words}
    full = {"kind": kind, "retryable": False, "message": message, **data}
    error = {"code": code, "message": "for developers", "data": full}
    return {"say": {"jsonrpc": "2.0", "id": f"${name}", "error": error}}


def tell(method: str, **params: Any) -> Step:
    """The core sends a notification."""
    return {"say": {"jsonrpc": "2.0", "method": method, "params": params}}


def initialized(max_in_flight: int = 64) -> list[Step]:
    """The core opens the session."""
    return [hear("initialize"), answer(protocolVersion=1, limits={"maxInFlight": max_in_flight})]


def subscribed(state: Any, revision: int = 1, model: str = "login") -> list[Step]:
    """The core opens one subscription, named ``login.1``, and sends its first state."""
    return [
        hear("models/subscribe", model=model),
        answer(subscription=f"{model}.1", schema=LOGIN, revision=revision),
        whole(state, revision, model),
    ]


def whole(state: Any, revision: int, model: str = "login", **more: Any) -> Step:
    """A full snapshot."""
    return _snapshot(model, revision, state=state, **more)


def merge(patch: Any, base: int, revision: int, model: str = "login", **more: Any) -> Step:
    """A snapshot that is a difference."""
    return _snapshot(model, revision, base=base, merge=patch, **more)


def _snapshot(model: str, revision: int, **members: Any) -> Step:
    common = {"subscription": f"{model}.1", "model": model, "schema": LOGIN, "causedBy": []}
    return tell("models/snapshot", **{**common, "revision": revision, "frame": revision, **members})
