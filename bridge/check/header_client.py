#!/usr/bin/env python3
"""Signs in and publishes over `Content-Length` headers with a JSON-RPC library of another project.

`python-lsp-jsonrpc` frames, numbers and matches the messages; nothing here is of this repository but
the browser that walks the sign-in pages (bridge-protocol §14.14).

Usage: header_client.py CORE        CORE is the grain-core program
Exit status: 0 it published; 1 it did not.
"""

from __future__ import annotations

import argparse
import base64
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import Any

from core_over_tls import PHOTO
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter

sys.path.insert(0, str(Path(__file__).parent.parent / "python" / "examples"))
from page_walker import PageWalker  # noqa: E402

_PATIENCE = 30


class Wrong(Exception):
    """The core did not do what the protocol asks; the words say what."""


class Shell:
    """A shell made of that library."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.endings: Queue[dict[str, Any]] = Queue()
        self.states: dict[str, dict[str, Any]] = {}
        handlers = {
            "models/snapshot": self._snapshot,
            "operations/ended": self.endings.put,
            "effects/perform": self._perform,
        }
        writer = JsonRpcStreamWriter(process.stdin)
        self._endpoint = Endpoint(handlers, writer.write)
        reader = JsonRpcStreamReader(process.stdout)
        self._reading = threading.Thread(target=reader.listen, args=(self._endpoint.consume,))
        self._reading.start()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A request and its result."""
        answer: dict[str, Any] = self._endpoint.request(method, params).result(_PATIENCE)
        return answer

    def finish(self, verdict: dict[str, Any]) -> None:
        """Waits for the end of the operation, which must be a success."""
        ending = self.endings.get(timeout=_PATIENCE)
        if (ending["operation"], ending["outcome"]) != (verdict["operation"], "succeeded"):
            raise Wrong(f"{verdict['operation']} ended as {ending}")

    def close(self) -> None:
        """Shuts the core down in order."""
        self.call("shutdown")
        self._endpoint.notify("exit")
        self._reading.join(_PATIENCE)
        self._endpoint.shutdown()

    def _snapshot(self, params: dict[str, Any]) -> None:
        self.states[params["subscription"]] = params["state"]  # asked for as `full`

    def _perform(self, params: dict[str, Any]) -> Callable[[], dict[str, str]]:
        def walk() -> dict[str, str]:
            callback = params["args"]["callback"]
            start = f"{callback['scheme']}:{callback['path']}?"
            walker = PageWalker("alice.test", "sandbox")
            url = walker.walk(params["args"]["url"], lambda url: url.startswith(start))
            self.call("login.callback", callbackUrl=url)
            return {"outcome": "callbackDelivered"}

        return walk


def main(arguments: list[str]) -> int:
    """Runs the story and says how it went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        words = [options.core, "--stdio", "--profile", "sandbox", "--data-dir", f"{folder}/data"]
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        try:
            address = _story(Shell(process), Path(folder))
            code = process.wait(timeout=_PATIENCE)
        except Wrong as reason:
            print(f"header client: {reason}", file=sys.stderr)
            return 1
        finally:
            process.kill()  # it has ended, or it never will
            process.wait()
    print(f"header client: published {address}, and the core ended with {code}")
    return code


def _story(shell: Shell, folder: Path) -> str:
    try:
        return _publish(shell, folder)
    finally:
        shell.close()


def _publish(shell: Shell, folder: Path) -> str:
    photo = folder / "photo.jpg"
    photo.write_bytes(base64.b64decode(PHOTO))
    names = {"login": "login", "galleryPublish": "gallery-publish"}
    shell.call(
        "initialize",
        protocolVersions=[1],
        client={"name": "header-client", "version": "1"},
        capabilities={
            "delivery": ["full"],
            "effects": {"auth.present": {"version": 1, "presentations": ["webview"]}},
        },
        models=[
            {"model": model, "schemas": [f"v1/models/{name}.json"]} for model, name in names.items()
        ],
    )
    shell.call("models/subscribe", subscription="form", model="login")
    shell.call("login.start")
    try:
        shell.call("login.submitHandle", handle="alice")
        raise Wrong("half a handle was taken")
    except JsonRpcException as refusal:
        if (refusal.code, refusal.data["kind"]) != (2001, "login.handleInvalid"):
            raise Wrong(f"half a handle was refused with {refusal.to_dict()}") from refusal
    shell.finish(shell.call("login.submitHandle", handle="alice.test"))
    if shell.states["form"]["phase"] != "signedIn":
        raise Wrong("the ending came before the state it belongs to")

    draft = shell.call("gallery.createDraft")["draft"]
    shell.call(
        "models/subscribe", subscription="gallery", model="galleryPublish", args={"draft": draft}
    )
    files = [{"path": str(photo)}]
    shell.finish(shell.call("gallery.addPhotos", draft=draft, files=files))
    shell.call("gallery.setDetails", draft=draft, title="Ä – 😀 \u2028 by headers")
    shell.finish(shell.call("gallery.publish", draft=draft))
    state = shell.states["gallery"]
    if state["title"] != "Ä – 😀 \u2028 by headers":
        raise Wrong(f"the title became {state['title']!r}")
    address: str = state["publishedUri"]
    return address


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
