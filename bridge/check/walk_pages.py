#!/usr/bin/env python3
"""Walks the sandbox's pages in a real browser, with the keyboard only, and looks at every page.

The core asks for a page, a headless Chromium shows it, a person without a mouse signs in and decides,
and the core goes on: once in a narrow dark window without scripts, once in a wide light one. Every page
is checked against `page_rules`. The servers speak TLS; whom to trust is judged elsewhere
(`outside_sign_in.py`), so the browser takes their certificates as they are.

Usage: walk_pages.py CORE [--pictures FOLDER]        CORE is the grain-core program
Exit status: 0 all is well, or it was skipped with a reason; 1 a page is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import page_rules
from browser import Browser, BrowserError, find_browser

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))
from grain_core import Client, Effect, EffectFailed, Problem  # noqa: E402


class Walk:
    """One person in front of one window."""

    def __init__(self, browser: Browser, name: str, pictures: Path | None) -> None:
        self._browser = browser
        self._name = name
        self._pictures = pictures
        self._count = 0
        self.faults: list[str] = []

    def look(self, page: str) -> None:
        """Looks at the page that is there now, which must be that one."""
        self._count += 1
        title = self._browser.ask("document.title")
        if page not in title:
            raise BrowserError(f"{self._name}: this should be “{page}” and is “{title}”")
        if self._pictures is not None:
            place = self._pictures / f"{self._name}-{self._count}.png"
            self._browser.picture(place)
        found = page_rules.faults(self._browser)
        self.faults += [f"{self._name}, {title}: {fault}" for fault in found]
        self._browser.events.clear()

    def to(self, what: str) -> None:
        """Presses Tab until the keyboard is at that field, button or link."""
        for _ in range(60):
            at = page_rules.focus(self._browser)
            if at is not None and at["name"] == what:
                return
            self._browser.press("Tab")
        raise BrowserError(f"{self._name}: the keyboard never comes to “{what}”")

    def fill(self, field: str, text: str) -> None:
        """Goes to a field and types over what is in it."""
        self.to(field)
        self._browser.type(text)

    def choose(self, what: str, key: str = "Enter") -> None:
        """Goes to a button or link, presses it, and waits for the next page."""
        self.to(what)
        self._browser.press_to_go(key)


def main(arguments: list[str]) -> int:
    """Walks, and says what is not as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--pictures", type=Path, help="where a picture of every page is written")
    options = parser.parse_args(arguments)
    program = find_browser()
    if program is None:
        print("pages: skipped: there is no chromium on this machine")
        return 0
    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _sandbox(options.core, folder) as network:
            for name, dark, size, story in (
                ("narrow-dark", True, (320, 640), _sign_in),
                ("wide-light", False, (1280, 800), _sign_up),
                ("narrow-light", False, (320, 640), _sign_up),
                ("wide-dark", True, (1280, 800), _sign_in),
            ):
                with _browser(program, dark, size) as browser:
                    walk = Walk(browser, name, options.pictures)
                    try:
                        story(options.core, network, f"{folder}/{name}", browser, walk)
                    finally:
                        faults += walk.faults
    except (BrowserError, Problem) as reason:
        faults.append(str(reason))
    for fault in faults:
        print(f"pages: {fault}", file=sys.stderr)
    if not faults:
        print("pages: signed in, refused, signed up and denied, with the keyboard alone")
    return 1 if faults else 0


# MARK: The stories


def _sign_in(
    core: str, network: dict[str, Any], folder: str, browser: Browser, walk: Walk
) -> None:
    """A wrong password, the right one, the question, the way back; later the used-up link."""
    pages: list[str] = []

    def visit(url: str) -> None:
        pages.append(url)
        browser.open(url)
        walk.look("Sign in")
        walk.fill("password", "wrong")
        walk.choose("Sign in")
        browser.events.clear()  # the status says that it was wrong, and the browser repeats it
        walk.look("Sign in")
        walk.fill("password", "sandbox")
        walk.to("remember")
        browser.press(" ")
        walk.choose("Sign in")
        walk.look("Allow access")
        walk.to("As the app asked for it")
        browser.press("Enter")
        walk.look("Allow access")
        walk.choose("Allow")
        walk.look("Back to the app")

    with _core(core, network, folder, visit) as (client, visited):
        client.call("login.start")
        client.finish(client.call("login.submitHandle", handle="alice.test"))
        visited.wait(timeout=60)
        browser.open(pages[0])
        browser.events.clear()  # the status of this page is an error, and the browser says so
        walk.look("Sign-in stopped")


def _sign_up(
    core: str, network: dict[str, Any], folder: str, browser: Browser, walk: Walk
) -> None:
    """A new account and its answer no; then the browser offers the account it remembers."""
    handle = f"eve{len(folder)}"

    def visit(url: str) -> None:
        browser.open(url)
        walk.look("Create an account")
        walk.fill("handle", "under_score")
        walk.fill("email", f"{handle}@example.com")
        walk.fill("password", "long enough")
        walk.choose("Create account")
        browser.events.clear()
        walk.look("Create an account")
        walk.to("handle")
        browser.call("Input.dispatchKeyEvent", type="rawKeyDown", key="a", commands=["selectAll"])
        browser.type(handle)
        walk.fill("password", "long enough")
        walk.choose("Create account")
        walk.look("Allow access")
        walk.choose("Deny")
        walk.look("Sign-in cancelled")

    with _core(core, network, folder, visit) as (client, _):
        client.call("login.start")
        try:
            client.finish(client.call("login.createAccount"))
        except Problem as ending:
            if ending.kind != "login.denied":
                raise


# MARK: The programs


@contextmanager
def _sandbox(core: str, folder: str) -> Iterator[dict[str, Any]]:
    words = [core, "sandbox", "--json", "--tls", "--ca", f"{folder}/ca.pem"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield json.loads(line)["configuration"]
    finally:
        process.terminate()
        process.wait(timeout=10)


@contextmanager
def _browser(program: str, dark: bool, size: tuple[int, int]) -> Iterator[Browser]:
    options = ("--host-resolver-rules=MAP *.test 127.0.0.1", "--ignore-certificate-errors")
    with Browser(program, *options) as browser:
        browser.show(width=size[0], height=size[1], dark=dark)
        if dark:
            browser.forbid_scripts()
        yield browser


@contextmanager
def _core(
    core: str, configuration: dict[str, Any], folder: str, visit: Callable[[str], None]
) -> Iterator[tuple[Client, threading.Event]]:
    """A core whose page is shown to `visit`, in a thread of its own, and when that is over."""
    Path(folder).mkdir()
    file = Path(folder, "config.json")
    file.write_text(json.dumps(configuration))
    words = [core, "--stdio", "--config", str(file), "--data-dir", f"{folder}/data"]
    failures: list[BrowserError] = []
    visited = threading.Event()

    def present(effect: Effect) -> str:
        try:
            visit(effect.args["url"])
        except BrowserError as error:
            failures.append(error)
            raise EffectFailed from error
        finally:
            visited.set()
        return "presented"

    with Client.spawn(words) as client:
        client.on_effect("auth.present", present, presentations=["externalBrowser"])
        client.initialize("walk_pages.py", "1.0")
        try:
            yield client, visited
            visited.wait(timeout=60)
        except Problem as problem:
            raise (failures or [BrowserError(f"the core was not content: {problem}")])[0] from None
    if failures:
        raise failures[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
