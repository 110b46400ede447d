"""The shell printed in ``bridge/README.md`` runs as it is printed."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .support import CORE, CORE_IS_MISSING, EXAMPLES, FAKE, Step, answer, hear, tell

README = Path(__file__).resolve().parents[2] / "README.md"


def state(phase: str, revision: int, *can: str) -> Step:
    """The form in one phase."""
    return tell(
        "models/snapshot", subscription="form", revision=revision, frame=revision, causedBy=[],
        state={"status": "idle", "phase": phase, "can": list(can)},
    )  # fmt: skip


class FirstShell(unittest.TestCase):
    """The code block, cut out and run against a scripted core."""

    def setUp(self) -> None:
        self.code = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[0]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_shell(self, callback: dict[str, str], typed: str, *answers: Step) -> str:
        """What the shell prints while the core asks it to present a page."""
        args = {"url": "https://pds.example.com/authorize", "callback": callback}
        params = {"effect": "auth.present", "version": 1, "operation": "op-1", "args": args}
        present = {"jsonrpc": "2.0", "id": "c-1", "method": "effects/perform", "params": params}
        steps = [
            hear("initialize", protocolVersions=[1]), answer(limits={"maxInFlight": 64}),
            hear("models/subscribe", model="login"), answer(),
            state("signedOut", 1, "login.start"), hear("login.start"), answer(accepted=True),
            state("enteringHandle", 2, "login.setHandle", "login.submitHandle"),
            hear("login.submitHandle", handle="alice.test"), answer(accepted=True),
            {"say": present}, *answers, state("signedIn", 3), {"eof": True},
        ]  # fmt: skip
        script = self.folder / "script.json"
        script.write_text(json.dumps(steps), "utf-8")
        program = self.folder / "grain-core"
        command = [sys.executable, "-S", str(FAKE), str(script)]
        program.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n", "utf-8")
        program.chmod(0o755)
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-c", self.code],
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "PATH": path, "BROWSER": "true"},
            check=False,
        )
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout

    def test_it_is_no_longer_than_it_says(self) -> None:
        self.assertLessEqual(len(self.code.splitlines()), 40)

    @unittest.skipIf(CORE_IS_MISSING, CORE_IS_MISSING)
    def test_it_signs_in_to_the_sandbox_of_the_real_core(self) -> None:
        walker = Path(EXAMPLES, "page_walker.py")
        (self.folder / "grain-core").symlink_to(Path(CORE).resolve())
        environment = {
            **os.environ,
            "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}",
            "XDG_DATA_HOME": str(self.folder),
            "BROWSER": f"{sys.executable} {walker} %s",
        }
        for typed, code, words in (("alice\n", 1, "full handle"), ("\n", 0, "signedIn")):
            done = subprocess.run(
                [sys.executable, "-c", self.code],
                input=typed, capture_output=True, text=True, timeout=60, env=environment,
                check=False,
            )  # fmt: skip
            self.assertEqual(code, done.returncode, done.stderr)
            self.assertIn(words, done.stdout + done.stderr)

    def test_it_says_that_the_core_has_ended_and_ends_with_its_person(self) -> None:
        program = self.folder / "grain-core"
        environment = {**os.environ, "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}"}
        begin = [hear("initialize"), answer(), hear("models/subscribe"), answer()]
        form = state("enteringHandle", 2, "login.submitHandle")
        for steps, words in (
            ([*begin, {"exit": 70}], "The core has ended (exit 70)."),
            ([*begin, form, {"eof": True}], ""),
        ):
            script = self.folder / "script.json"
            script.write_text(json.dumps(steps), "utf-8")
            command = [sys.executable, "-S", str(FAKE), str(script)]
            program.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n", "utf-8")
            program.chmod(0o755)
            done = subprocess.run(
                [sys.executable, "-c", self.code],
                input="", capture_output=True, text=True, timeout=60, env=environment, check=False,
            )  # fmt: skip
            self.assertEqual((1, words), (done.returncode, done.stderr.strip()))

    def test_it_signs_in_where_the_core_listens(self) -> None:
        told = {"await": {"id": "c-1", "result": {"outcome": "presented"}}, "as": "fx"}
        output = self.run_shell({"via": "core"}, "alice.test\n", told)
        for phase in ("signedOut", "enteringHandle", "signedIn"):
            self.assertIn(phase, output)

    def test_it_signs_in_where_the_shell_watches(self) -> None:
        url = "app.grain:/oauth/callback?code=c"
        told = {"await": {"id": "c-1", "result": {"outcome": "callbackDelivered"}}, "as": "fx"}
        callback = {"via": "shell", "scheme": "app.grain", "path": "/oauth/callback"}
        heard = hear("login.callback", callbackUrl=url)
        output = self.run_shell(callback, f"alice.test\n{url}\n", heard, answer(), told)
        self.assertIn("signedIn", output)
