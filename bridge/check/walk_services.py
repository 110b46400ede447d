#!/usr/bin/env python3
"""Walks the pages of the sandbox's other services in a real browser, with the keyboard only.

The Platrium-like service: login, question, yes and no, devices and apps, a token made by hand, and what a
question looks like that cannot be answered. The Pixiv-like service: its login. Every page is checked against
`page_rules`, in narrow and wide windows, light and dark, without scripts in the dark ones.

Usage: walk_services.py CORE [--pictures FOLDER]        CORE is the grain-core program
Exit status: 0 all is well, or it was skipped with a reason; 1 a page is not as it should be.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from browser import Browser, BrowserError, find_browser
from walk_pages import Walk

_CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(b"walk").digest()).decode().rstrip("=")


def main(arguments: list[str]) -> int:
    """Walks, and says what is not as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--pictures", type=Path, help="where a picture of every page is written")
    options = parser.parse_args(arguments)
    program = find_browser()
    if program is None:
        print("service pages: skipped: there is no chromium on this machine")
        return 0
    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    try:
        with _sandbox(options.core) as network, _client() as client:
            for name, dark, size in (
                ("narrow-dark", True, (320, 640)),
                ("wide-light", False, (1280, 800)),
                ("narrow-light", False, (320, 640)),
                ("wide-dark", True, (1280, 800)),
            ):
                with Browser(program) as browser:
                    browser.show(width=size[0], height=size[1], dark=dark)
                    if dark:
                        browser.forbid_scripts()
                    walk = Walk(browser, f"service-{name}", options.pictures)
                    try:
                        _platrium(network["platrium"], client, browser, walk)
                        _pixiv(network["pixiv"], browser, walk)
                    finally:
                        faults += walk.faults
    except BrowserError as reason:
        faults.append(str(reason))
    for fault in faults:
        print(f"service pages: {fault}", file=sys.stderr)
    if not faults:
        print("service pages: logged in, allowed, denied, made and revoked, with the keyboard alone")
    return 1 if faults else 0


# MARK: The stories


def _platrium(about: dict[str, Any], client: _Client, browser: Browser, walk: Walk) -> None:
    """Signed out at first: the login leads back to the question; then no, yes, and a token by hand."""
    account = about["accounts"][0]
    question = f"{about['url']}/authorize?" + urlencode({
        "redirect_uri": client.address, "code_challenge": _CHALLENGE,
        "code_challenge_method": "S256", "state": "walk", "platform": "ANDROID",
        "app_version": "4.2", "name": "Harbour photographs & everything about long names",
    })  # fmt: skip
    browser.open(question)
    walk.look("Log in")
    walk.fill("email", account["email"])
    walk.fill("password", "wrong")
    walk.choose("Log in")
    browser.events.clear()  # the status says that it was wrong, and the browser repeats it
    walk.look("Log in")
    walk.fill("password", account["password"])
    walk.choose("Log in")
    walk.look("Allow access")
    walk.choose("Deny")
    _expect(client.answers.pop(), "error", "access_denied")
    browser.open(question)
    walk.choose("Allow")
    if not _expect(client.answers.pop(), "state", "walk").get("code"):
        raise BrowserError("the answer has no code")

    browser.open(about["url"])
    walk.look("Devices & Apps")
    walk.fill("name", "Backup of the harbour")
    walk.choose("Make a token")
    walk.look("Devices & Apps")
    if not str(browser.ask("document.querySelector('[data-token]').textContent")).startswith("plt_"):
        raise BrowserError("the page does not show the token")
    walk.choose("Revoke")
    walk.look("Devices & Apps")
    if "plt_" in str(browser.ask("document.body.textContent")):
        raise BrowserError("a token is shown twice")
    browser.open(question.replace(urlencode({"": client.address})[1:], "http%3A%2F%2Fexample.com"))
    browser.events.clear()
    walk.look("This cannot go on")


def _pixiv(about: dict[str, Any], browser: Browser, walk: Walk) -> None:
    """The login only: what comes after it leads to a scheme that no browser has."""
    fields = {
        "code_challenge": _CHALLENGE, "code_challenge_method": "S256", "client": "pixiv-android",
    }  # fmt: skip
    browser.open(f"{about['url']}/web/v1/login?{urlencode(fields)}")
    walk.look("Log in")
    walk.fill("account", about["accounts"][0]["account"])
    walk.fill("password", "wrong")
    walk.choose("Log in")
    browser.events.clear()
    walk.look("Log in")


def _expect(answer: dict[str, str], name: str, value: str) -> dict[str, str]:
    if answer.get(name) != value:
        raise BrowserError(f"the answer should have {name}={value}: {sorted(answer)}")
    return answer


# MARK: The programs


class _Client:
    """A client at a loopback address: writes down what the browser brings."""

    def __init__(self) -> None:
        self.answers: list[dict[str, str]] = []
        self.address = ""


@contextmanager
def _client() -> Iterator[_Client]:
    client = _Client()

    class Receiver(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            if place.path == "/callback":
                fields = parse_qs(place.query).items()
                client.answers.append({name: values[0] for name, values in fields})
            page = b"<!DOCTYPE html><html lang=en><title>Done</title><main><h1>Done</h1></main>"
            # The browser asks for an icon as well, and would complain later on.
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            """Says nothing: what is asked for carries codes."""

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    client.address = f"http://127.0.0.1:{server.server_port}/callback"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield client
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _sandbox(core: str) -> Iterator[dict[str, Any]]:
    process = subprocess.Popen([core, "sandbox", "--json"], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield json.loads(line)
    finally:
        process.terminate()
        process.wait(timeout=10)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
