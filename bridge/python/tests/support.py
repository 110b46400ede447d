"""What the tests share: scripted cores and the messages they say."""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from grain_core import Client

FAKE = Path(__file__).with_name("fake_core.py")
EXAMPLES = str(Path(__file__).resolve().parents[1] / "examples")

# The built core, for the tests that need one.
CORE = os.environ.get(
    "GRAIN_CORE", str(Path(__file__).resolve().parents[3] / ".build/debug/grain-core")
)
CORE_IS_MISSING = "" if Path(CORE).exists() else f"there is no {CORE}; build it, or set GRAIN_CORE"
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


def photograph(folder: Path) -> Path:
    """A small photograph in a file."""
    path = folder / "photo.jpg"
    path.write_bytes(base64.b64decode(_PHOTO))
    return path


_PHOTO = """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4p
LSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09P
T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAgADADASIA
AhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFRABAQAAAAAAAAAAAAAAAAAAABP/xAAW
AQEBAQAAAAAAAAAAAAAAAAAABgX/xAAVEQEBAAAAAAAAAAAAAAAAAAAAFP/aAAwDAQACEQMRAD8A
1qlUVSqYlaNS2pVFUqSlS2pVFUqSlSKpVDUqo5U1UuqVQ1KkpUuqVQ1KkpU//9k=
"""
