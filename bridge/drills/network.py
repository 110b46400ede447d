"""The sandbox in a process of its own, and shells that are killed with their cores."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_BRIDGE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_BRIDGE / "python"), str(_BRIDGE / "python" / "examples")]

from page_walker import PageError, PageWalker  # noqa: E402 (the path comes first)
from publish import PRESENTATIONS, leads_to_app  # noqa: E402

from grain_core import (  # noqa: E402
    Client,
    CoreGone,
    Effect,
    EffectFailed,
    OperationCancelled,
    Problem,
    Subscription,
)

__all__ = [
    "Client",
    "CoreGone",
    "Network",
    "OperationCancelled",
    "Problem",
    "Shell",
    "photograph",
    "running_network",
]

# A small photograph, in base64.
_PHOTO = """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4p
LSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09P
T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAgADADASIA
AhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFRABAQAAAAAAAAAAAAAAAAAAAAP/xAAW
AQEBAQAAAAAAAAAAAAAAAAAABgX/xAAVEQEBAAAAAAAAAAAAAAAAAAAAFP/aAAwDAQACEQMRAD8A
1qlUVSqYlaNS2pVFUqSlS2pVFUqSlSKpVDUqo5U1UuqVQ1KkpUuqVQ1KkpU//9k=
"""


def photograph(folder: Path) -> Path:
    """A small photograph in a file."""
    photo = folder / "photo.jpg"
    photo.write_bytes(base64.b64decode(_PHOTO))
    return photo


class Network:
    """A running sandbox."""

    def __init__(self, core: str, folder: Path, announced: dict[str, Any]) -> None:
        self.core = core
        self.folder = folder
        self.configuration: dict[str, Any] = announced["configuration"]
        self.home: str = self.configuration["hosts"]["alice.test"]
        self.photo = photograph(folder)

    def shell(
        self,
        data: Path,
        environment: dict[str, str] | None = None,
        times: dict[str, int] | None = None,
    ) -> Shell:
        """A core over a data folder.

        `environment` is added to ours; `times` are members of the configuration of that name.
        """
        file = self.folder / "config.json"
        file.write_text(json.dumps({**self.configuration, "times": times or {}}))
        words = [self.core, "--stdio", "--config", str(file), "--data-dir", str(data)]
        return Shell(words, self.photo, environment)

    def galleries(self, did: str) -> list[str]:
        """The titles of an account's galleries, as its server has them."""
        return [str(value["title"]) for value in self._records(did, "social.grain.gallery")]

    def _records(self, did: str, collection: str) -> Iterator[dict[str, Any]]:
        cursor = ""
        while True:
            fields = {"repo": did, "collection": collection, "limit": "100", "cursor": cursor}
            query = urllib.parse.urlencode({name: text for name, text in fields.items() if text})
            url = f"{self.home}/xrpc/com.atproto.repo.listRecords?{query}"
            with urllib.request.urlopen(url, timeout=10) as answer:
                page = json.load(answer)
            yield from (record["value"] for record in page["records"])
            cursor = page.get("cursor", "")
            if not cursor:
                return


@contextmanager
def running_network(core: str, folder: Path) -> Iterator[Network]:
    """Starts the sandbox; it survives whatever happens to the cores, and ends with the block."""
    words = [core, "sandbox", "--json", "--data", str(folder / "network.sqlite")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None  # a pipe was asked for
        yield Network(core, folder, json.loads(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait(10)


class Shell:
    """One core and somebody to use it."""

    def __init__(
        self, words: list[str], photo: Path, environment: dict[str, str] | None = None
    ) -> None:
        """Starts the core, with these variables besides ours.

        Raises:
            CoreGone: it does not start.
        """
        self.core = Client.spawn(
            [*words, "--log-level", "error"], {**os.environ, **(environment or {})}
        )
        self.core.on_effect("auth.present", self.present, presentations=PRESENTATIONS)
        self.photo = photo
        self.password_of = "alice.test"

    def open(self) -> dict[str, Any]:
        """Says hello and waits until it is known who is signed in; returns the accounts' state."""
        self.core.initialize("drill", "1")
        return self.core.subscribe("accounts").wait(
            lambda state: state["phase"] in ("ready", "empty") or "problem" in state
        )

    def kill(self) -> None:
        """Ends the core at once, wherever it is."""
        process = self.core._process
        assert process is not None  # it was spawned
        process._process.kill()
        self.core.close(patience=2)

    def sign_in(self, handle: str) -> None:
        self.password_of = handle
        self.core.call("login.start")
        self.core.finish(self.core.call("login.submitHandle", handle=handle), timeout=60)

    def publish(self, title: str, photographs: int = 2) -> str:
        """Makes a gallery and publishes it; returns its address."""
        draft = self.core.call("gallery.createDraft")["draft"]
        files = [{"path": str(self.photo)}] * photographs
        self.core.finish(self.core.call("gallery.addPhotos", draft=draft, files=files), timeout=60)
        self.core.call("gallery.setDetails", draft=draft, title=title)
        gallery = self.core.subscribe("galleryPublish", {"draft": draft})
        self.core.finish(self.core.call("gallery.publish", draft=draft), timeout=60)
        return str(gallery.wait(lambda state: "publishedUri" in state)["publishedUri"])

    def watch(self, draft: str) -> Subscription | None:
        """The gallery of a draft that was just listed; ``None`` where its publish has ended since."""
        try:
            return self.core.subscribe("galleryPublish", {"draft": draft})
        except Problem as problem:
            if problem.kind != "gallery.draftUnknown":
                raise
            return None

    def present(self, effect: Effect) -> str:
        callback = effect.args["callback"]
        walker = PageWalker(self.password_of, "sandbox")
        try:
            url = walker.walk(effect.args["url"], lambda url: leads_to_app(url, callback))
        except PageError as error:
            raise EffectFailed from error
        if callback["via"] == "core":
            return "presented"
        self.core.call("login.callback", callbackUrl=url)
        return "callbackDelivered"
