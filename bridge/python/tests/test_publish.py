"""The example: from a folder of photographs to an at-uri, against pages and a core made here."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import publish  # the tests' package puts the examples on the path
from page_walker import FormReader, PageError, PageWalker

from .support import FAKE, Step, answer, hear, tell, whole


SHELL_CALLBACK = {"via": "shell", "scheme": "app.grain", "path": "/oauth/callback"}
SIGN_IN = """<html><head><style>form{}</style></head><body><h1>Sign in &amp; go on</h1>
<form method="get" action="/search"><input type="search" name="q"></form>
<form method="post" action="/sign-in"><input type="hidden" name="csrf" value="t&quot;1">
<input name="identifier" value=""><input type="password" name="password">
<input type="checkbox" name="remember" value="yes">
<button name="decision" value="deny" formaction="/decide">Cancel</button>
<button type="submit">Sign in</button></form></body></html>"""
CONSENT = """<form method="post" action="decide"><input type="hidden" name="csrf" value="t2">
<input type="checkbox" name="scope" value="atproto" checked>
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="allow">Allow</button></form>"""


class Pages(BaseHTTPRequestHandler):
    """A sign-in server that insists on what real ones insist on."""

    server: PageServer

    def do_GET(self) -> None:
        """Shows the sign-in page, or the end of a loopback sign-in."""
        path = urlsplit(self.path).path
        if self.headers["Sec-Fetch-Mode"] != "navigate" or self.headers["Sec-Fetch-Dest"] is None:
            self.page(400, "This is no browser.")
        elif path == "/authorize":
            self.page(200, SIGN_IN, cookie="device=d1")
        elif path == "/consent":
            self.page(200, CONSENT)
        elif path == "/callback":
            self.server.arrived.append(self.path)
            self.page(200, "You may close this page.")
        elif path == "/circle":
            self.redirect("/circle")
        elif path == "/elsewhere":
            self.redirect("app.evil:/oauth/callback?code=c&state=s")
        else:
            self.page(404, "<p>There is nothing here.</p>")

    def do_POST(self) -> None:
        """Takes the sign-in form, then the decision."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode("ascii")
        form = {name: values[0] for name, values in parse_qs(body).items()}
        origin = f"http://127.0.0.1:{self.server.server_port}"
        fetched = (self.headers["Origin"], self.headers["Sec-Fetch-Site"])
        if fetched != (origin, "same-origin") or "device=d1" not in self.headers.get("Cookie", ""):
            self.page(400, "This form came from elsewhere.")
        elif self.path == "/sign-in":
            right = {"csrf": 't"1', "identifier": "alice.test", "password": "sandbox"}
            if form == right:
                self.redirect("/consent")
            else:
                self.page(200, SIGN_IN.replace("Sign in &amp; go on", "Wrong password"))
        elif form == {"csrf": "t2", "scope": "atproto", "decision": "allow"}:
            self.redirect(self.server.callback + "?code=c-1&state=s-1&iss=x")
        else:
            self.page(400, "No.")

    def page(self, status: int, html: str, cookie: str = "") -> None:
        """Answers with a page."""
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if cookie:
            self.send_header("Set-Cookie", f"{cookie}; Path=/; HttpOnly")
        self.end_headers()
        self.wfile.write(html.encode("utf-8"))

    def redirect(self, target: str) -> None:
        """Answers with a redirect."""
        self.send_response(303)
        self.send_header("Location", target)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps the tests quiet."""


class PageServer(HTTPServer):
    """The pages, on a loopback port."""

    def __init__(self, callback: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Pages)
        self.root = f"http://127.0.0.1:{self.server_port}"
        self.callback = callback or f"{self.root}/callback"
        self.arrived: list[str] = []


class PageCase(unittest.TestCase):
    """Runs the pages."""

    def pages(self, callback: str = "") -> PageServer:
        """A running server, whose sign-in ends at `callback`; its own loopback page by default."""
        server = PageServer(callback)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return server


class Walking(PageCase):
    """The browser for tests."""

    def test_a_sign_in_ends_at_the_apps_scheme(self) -> None:
        pages = self.pages("app.grain:/oauth/callback")
        walker = PageWalker("alice.test", "sandbox")
        url = walker.walk(f"{pages.root}/authorize", lambda url: url.startswith("app.grain:"))
        self.assertEqual("app.grain:/oauth/callback?code=c-1&state=s-1&iss=x", url)

    def test_a_sign_in_ends_at_the_cores_own_listener_which_is_visited_once(self) -> None:
        pages = self.pages()
        walker = PageWalker("alice.test", "sandbox")
        walker.walk(
            f"{pages.root}/authorize", lambda url: publish.leads_to_app(url, {"via": "core"})
        )
        self.assertEqual(["/callback?code=c-1&state=s-1&iss=x"], pages.arrived)

    def test_what_goes_wrong_is_said_without_the_query(self) -> None:
        pages = self.pages()
        for start, password, words in [
            ("/authorize", "wrong", "The sign-in was refused. Wrong password"),
            ("/nothing?state=hidden", "sandbox", "/nothing answers 404. There is nothing here."),
            ("/callback", "sandbox", "has no form. You may close this page."),
            ("/circle", "sandbox", "circles"),
            ("/elsewhere", "sandbox", "leads to app.evil:/oauth/callback, not to the app"),
        ]:
            with self.subTest(start), self.assertRaises(PageError) as caught:
                walker = PageWalker("alice.test", password)
                walker.walk(pages.root + start, lambda url: url.startswith("app.grain:"))
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("hidden", str(caught.exception))

    def test_forms_are_read_as_a_browser_reads_them(self) -> None:
        search, form = FormReader(SIGN_IN).forms
        self.assertEqual(("get", "/search", []), (search.method, search.action, search.buttons))
        self.assertEqual([("csrf", 't"1'), ("identifier", "")], form.fields)
        self.assertEqual(("identifier", "password"), (form.name_field, form.password_field))
        self.assertEqual("Sign in", form.button(refusing=False).text)
        self.assertEqual("/decide", form.buttons[0].action)

    def test_only_the_registered_address_is_the_apps(self) -> None:
        with_host = {"via": "shell", "scheme": "platrium", "host": "auth", "path": "/callback"}
        for url, callback, expected in [
            ("app.grain:/oauth/callback?code=c&state=s", SHELL_CALLBACK, True),
            ("APP.grain:/oauth/callback?error=access_denied", SHELL_CALLBACK, True),
            ("app.grain://oauth/callback?code=c", SHELL_CALLBACK, False),
            ("app.grain:/oauth/callback/?code=c", SHELL_CALLBACK, False),
            ("https://app.grain/oauth/callback", SHELL_CALLBACK, False),
            ("platrium://auth/callback?code=c", with_host, True),
            ("platrium://callback?code=c", with_host, False),
            ("http://127.0.0.1:4711/callback?code=c&state=s", {"via": "core"}, True),
            ("http://127.0.0.1:2583/oauth/authorize?request_uri=r", {"via": "core"}, False),
            ("http://127.0.0.1.evil.example/callback?code=c&state=s", {"via": "core"}, False),
        ]:
            with self.subTest(url):
                self.assertEqual(expected, publish.leads_to_app(url, callback))


class Publishing(PageCase):
    """The whole command."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def photos(self, *names: str) -> Path:
        """A folder with files of these names."""
        folder = self.folder / "Lake"
        folder.mkdir()
        for name in names:
            (folder / name).write_bytes(b"\xff\xd8")
        return folder

    def program(self, *steps: Step) -> str:
        """A program that is the scripted core."""
        script = self.folder / "script.json"
        script.write_text(json.dumps(steps), "utf-8")
        program = self.folder / "grain-core"
        command = [sys.executable, "-S", str(FAKE), str(script)]
        program.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n", "utf-8")
        program.chmod(0o755)
        return str(program)

    def run_command(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output and standard error of the command."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = publish.main(list(arguments))
        return status, output.getvalue(), errors.getvalue()

    def story(self, url: str, callback: dict[str, Any], signed_in: list[Step]) -> list[Step]:
        """What a core does from the first message to the published gallery."""
        present = {
            "jsonrpc": "2.0",
            "id": "c-1",
            "method": "effects/perform",
            "params": {
                "effect": "auth.present",
                "version": 1,
                "operation": "op-1",
                "args": {"url": url, "callback": callback, "presentation": "externalBrowser"},
            },
        }
        accounts = {"phase": "empty", "accountOrder": [], "account": {}}
        gallery = {"phase": "editing", "photoOrder": [], "photo": {}}
        uri = "at://did:plc:a/social.grain.gallery/3ke6kg3wk22k2"
        paths = [{"path": str((self.folder / "Lake" / n).resolve())} for n in ("a.JPG", "b.jpeg")]
        return [
            hear("initialize"),
            answer(protocolVersion=1, limits={"maxInFlight": 64}),
            hear("models/subscribe", model="accounts"),
            answer(),
            whole(accounts, 1, "accounts"),
            hear("models/subscribe", model="login"),
            answer(),
            tell(
                "models/snapshot",
                subscription="login.2",
                revision=1,
                frame=1,
                state={"phase": "signedOut"},
            ),
            hear("login.start"),
            answer(accepted=True, revisions={"login": 2}),
            hear("login.submitHandle", handle="alice.test"),
            answer(accepted=True, operation="op-1", revisions={"login": 3}),
            {"say": present},
            *signed_in,
            tell("operations/ended", operation="op-1", outcome="succeeded"),
            hear("models/unsubscribe", subscription="login.2"),
            answer(),
            hear("gallery.createDraft"),
            answer(accepted=True, draft="d-1"),
            hear("models/subscribe", args={"draft": "d-1"}),
            answer(),
            tell(
                "models/snapshot",
                subscription="galleryPublish.3",
                revision=1,
                frame=2,
                state=gallery,
            ),
            hear("gallery.addPhotos", draft="d-1", files=paths),
            answer(accepted=True, operation="op-2"),
            tell("operations/ended", operation="op-2", outcome="succeeded"),
            hear("gallery.setDetails", draft="d-1", title="Lake"),
            answer(accepted=True),
            hear("gallery.publish", draft="d-1"),
            answer(accepted=True, operation="op-3"),
            tell(
                "models/snapshot",
                subscription="galleryPublish.3",
                revision=5,
                frame=3,
                base=1,
                merge={"phase": "published", "percent": 100, "publishedUri": uri},
            ),
            tell("operations/ended", operation="op-3", outcome="succeeded"),
            hear("shutdown"),
            answer(),
            hear("exit"),
        ]

    def test_a_folder_becomes_a_gallery_with_the_shell_watching_for_the_callback(self) -> None:
        pages = self.pages("app.grain:/oauth/callback")
        url = "app.grain:/oauth/callback?code=c-1&state=s-1&iss=x"
        steps = self.story(
            f"{pages.root}/authorize",
            SHELL_CALLBACK,
            [
                hear("login.callback", callbackUrl=url),
                answer(accepted=True, joined=True, operation="op-1"),
                {"await": {"id": "c-1", "result": {"outcome": "callbackDelivered"}}, "as": "fx"},
            ],
        )
        self.assert_published(steps)

    def test_a_folder_becomes_a_gallery_with_the_core_listening_itself(self) -> None:
        pages = self.pages()
        answered = {"await": {"id": "c-1", "result": {"outcome": "presented"}}, "as": "fx"}
        self.assert_published(self.story(f"{pages.root}/authorize", {"via": "core"}, [answered]))
        self.assertEqual(1, len(pages.arrived))

    def assert_published(self, steps: list[Step]) -> None:
        """The command ends well, and tells each phase and the address."""
        folder = self.photos("b.jpeg", "a.JPG", "notes.txt")
        program = self.program(*steps)
        status, output, errors = self.run_command(str(folder), "--core", program)
        self.assertEqual((0, ""), (status, errors))
        lines = [" ".join(line.split()) for line in output.splitlines()]
        self.assertEqual("at://did:plc:a/social.grain.gallery/3ke6kg3wk22k2", lines[-1])
        for line in (
            "accounts empty",
            "login signedOut",
            "gallery editing",
            "gallery published 100 %",
        ):
            self.assertIn(line, lines)

    def test_a_missing_or_empty_folder_is_said_in_words(self) -> None:
        empty = self.folder / "empty"
        empty.mkdir()
        file = self.folder / "photo.jpg"
        file.write_bytes(b"")
        for path, words in [
            (self.folder / "nowhere", "There is no folder"),
            (empty, "There are no JPEG photographs in"),
            (file, "is not a folder"),
        ]:
            status, output, errors = self.run_command(str(path))
            self.assertEqual((1, ""), (status, output))
            self.assertIn(words, errors)
            self.assertIn(str(path), errors)
            self.assertNotIn("Traceback", errors)

    def test_a_missing_core_is_said_in_words(self) -> None:
        status, _, errors = self.run_command(str(self.photos("a.jpg")), "--core", "/nowhere/core")
        self.assertEqual(1, status)
        self.assertIn("--core PATH", errors)

    def test_a_core_that_dies_is_said_with_its_last_words(self) -> None:
        program = self.program(hear("initialize"), {"log": "store.locked"}, {"exit": 70})
        status, _, errors = self.run_command(str(self.photos("a.jpg")), "--core", program)
        self.assertEqual(1, status)
        self.assertIn("exit 70", errors)
        self.assertIn("store.locked", errors)

    def test_the_command_runs_as_a_program(self) -> None:

        program = Path(publish.__file__)
        done = subprocess.run(
            [sys.executable, str(program), str(self.folder / "nowhere")],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": ""},
            check=False,
        )
        self.assertEqual(1, done.returncode)
        self.assertEqual("", done.stdout)
        self.assertIn("There is no folder", done.stderr)
