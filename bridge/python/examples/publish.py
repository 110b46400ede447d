#!/usr/bin/env python3
"""Publishes a folder of JPEG photographs through grain-core, in its sandbox.

Starts ``grain-core --stdio --profile sandbox``, signs in as alice.test by walking the sandbox's own
pages, makes a gallery of the folder, and prints each state on the way and the gallery's address at
the end. No network and no account are needed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import urlsplit

# The package lies beside this folder; an installed one would be found as well.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_walker import PageError, PageWalker  # noqa: E402

from grain_core import (  # noqa: E402 (the path comes first)
    Client,
    CoreGone,
    Effect,
    EffectFailed,
    OperationCancelled,
    Problem,
)

PRESENTATIONS = ["externalBrowser", "webview"]


class Stop(Exception):
    """Nothing more can be done; the words are for the person."""


def photographs(folder: Path) -> List[Path]:
    """The JPEG files of a folder, sorted by name.

    Raises:
        Stop: the folder is missing or has none.
    """
    if not folder.exists():
        raise Stop(f"There is no folder “{folder}”.")
    if not folder.is_dir():
        raise Stop(f"“{folder}” is not a folder. Name the folder the photographs are in.")
    try:
        files = [path for path in folder.iterdir() if path.suffix.lower() in (".jpg", ".jpeg")]
    except OSError as error:
        raise Stop(f"“{folder}” cannot be read: {error.strerror}.") from error
    if not files:
        raise Stop(f"There are no JPEG photographs in “{folder}”.")
    return sorted(path.resolve() for path in files)


def find_core(named: str) -> str:
    """The program to run.

    Raises:
        Stop: it is not there.
    """
    found = shutil.which(named)
    if found is None:
        raise Stop(f"There is no program “{named}”. Say where it is with --core PATH.")
    return found


def leads_to_app(url: str, callback: Dict[str, Any]) -> bool:
    """Whether an address is the one the core waits for; compared exactly, never in part."""
    parts = urlsplit(url)
    if callback["via"] == "core":  # the core's own listener: the only loopback page with an answer
        names = {pair.split("=")[0] for pair in parts.query.split("&")}
        is_loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
        return is_loopback and "state" in names and bool(names & {"code", "error"})
    place = (parts.scheme.lower(), parts.netloc, parts.path)
    return place == (callback["scheme"].lower(), callback.get("host", ""), callback["path"])


class Publisher:
    """The whole story, told to standard output."""

    def __init__(self, core: Client, handle: str, password: str) -> None:
        self._core = core
        self._handle = handle
        self._password = password

    def run(self, photos: List[Path], title: str) -> str:
        """Signs in, makes the gallery, publishes it; returns its at-uri."""
        self._core.on_effect("auth.present", self._present, presentations=PRESENTATIONS)
        self._core.initialize("publish.py", "1.0")
        self._sign_in()
        return self._publish(photos, title)

    def _sign_in(self) -> None:
        accounts = self._core.subscribe("accounts", on_change=_show("accounts"))
        state = accounts.wait(lambda state: state["phase"] not in ("restoring", "switching"))
        active = state["account"].get(state.get("active", ""), {})
        if active.get("handle") == self._handle and active.get("standing") == "ok":
            return
        login = self._core.subscribe("login", on_change=_show("login"))
        self._core.call("login.start")
        verdict = self._core.call("login.submitHandle", handle=self._handle)
        self._core.finish(verdict)
        self._core.unsubscribe(login)

    def _publish(self, photos: List[Path], title: str) -> str:
        draft = self._core.call("gallery.createDraft")["draft"]
        gallery = self._core.subscribe("galleryPublish", {"draft": draft}, _show("gallery"))
        files = [{"path": str(path)} for path in photos]
        self._core.finish(self._core.call("gallery.addPhotos", draft=draft, files=files))
        self._core.call("gallery.setDetails", draft=draft, title=title)
        self._core.finish(self._core.call("gallery.publish", draft=draft))
        return str(gallery.wait(lambda state: "publishedUri" in state)["publishedUri"])

    def _present(self, effect: Effect) -> str:
        """Plays the browser for the sign-in page."""
        callback = effect.args["callback"]
        walker = PageWalker(self._handle, self._password)
        try:
            url = walker.walk(effect.args["url"], lambda url: leads_to_app(url, callback))
        except PageError as error:
            print(f"publish: {error}", file=sys.stderr)
            raise EffectFailed from error
        if callback["via"] == "core":
            return "presented"
        self._core.call("login.callback", callbackUrl=url)
        return "callbackDelivered"


def _show(name: str) -> Any:
    """Prints a state in one line: the model, its phase, and how far it is."""

    def show(state: Dict[str, Any]) -> None:
        percent = f"  {state['percent']} %" if "percent" in state else ""
        print(f"{name:9} {state['phase']}{percent}", flush=True)
        for key in state.get("photoOrder", []):
            problem = state["photo"][key].get("problem")
            if problem is not None:
                print(f"{'':9} {problem['message']['fallback']}", flush=True)

    return show


def main(arguments: List[str]) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="publish.py", description="Publishes a folder of JPEGs in grain-core's sandbox."
    )
    parser.add_argument("folder", type=Path, help="the folder with the photographs")
    parser.add_argument("--core", default="grain-core", metavar="PATH", help="the program")
    parser.add_argument("--title", help="the gallery's title; the folder's name if left out")
    parser.add_argument("--handle", default="alice.test", help="who publishes (alice.test)")
    parser.add_argument("--password", default="sandbox", help="in the sandbox always “sandbox”")
    parser.add_argument("--data-dir", type=Path, help="keeps account and sandbox for the next run")
    options = parser.parse_args(arguments)
    try:
        photos = photographs(options.folder)
        core = find_core(options.core)
        title = options.title or options.folder.resolve().name
        with tempfile.TemporaryDirectory() as scratch:
            data = str(options.data_dir or scratch)
            command = [core, "--stdio", "--profile", "sandbox", "--data-dir", data]
            with Client.spawn(command) as client:
                address = Publisher(client, options.handle, options.password).run(photos, title)
        print(address)  # after the last state: leaving the block has told them all
    except Stop as stop:
        print(f"publish: {stop}", file=sys.stderr)
        return 1
    except Problem as problem:
        print(f"publish: {problem.words} ({problem.kind})", file=sys.stderr)
        return 1
    except CoreGone as gone:
        print("\n".join([f"publish: {gone}", *gone.last_log[-5:]]), file=sys.stderr)
        return 1
    except OperationCancelled:
        print("publish: Stopped. Nothing was published.", file=sys.stderr)
        return 1
    except TimeoutError as error:
        print(f"publish: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
