"""Both clients against the built core and its sandbox; ``GRAIN_CORE`` names the program."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import IO, Any

from page_walker import PageWalker  # the tests' package puts the examples on the path
from publish import Publisher, leads_to_app

from grain_core import AsyncClient, AsyncEffect, Client, CoreGone, Problem

from .support import CORE, CORE_IS_MISSING, EXAMPLES, photograph


@unittest.skipIf(CORE_IS_MISSING, CORE_IS_MISSING)
class RealCore(unittest.TestCase):
    """Signing in and publishing, §14.1, §14.5 and §14.14."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.photo = photograph(self.folder)

    def command(self, name: str, *more: str) -> list[str]:
        """A core with a data folder of that name."""
        data = str(self.folder / name)
        return [CORE, "--stdio", "--profile", "sandbox", "--data-dir", data, *more]

    def test_the_plain_client_signs_in_and_publishes_in_both_framings(self) -> None:
        for framing in ("lines", "headers"):
            with Client.spawn(self.command(framing), framing=framing) as core:
                with contextlib.redirect_stdout(io.StringIO()):
                    address = Publisher(core, "alice.test", "sandbox").run([self.photo], "Ä – 😀")
                self.assertRegex(address, "^at://did:")
                self.assertEqual(0, core.close())

    def test_the_client_on_an_event_loop_signs_in_and_publishes_in_both_framings(self) -> None:
        for framing in ("lines", "headers"):
            asyncio.run(asyncio.wait_for(self.publish(f"loop-{framing}", framing), 60))

    async def publish(self, name: str, framing: str) -> None:
        """The story on an event loop."""
        async with await AsyncClient.spawn(self.command(name), framing=framing) as core:

            async def present(effect: AsyncEffect) -> str:
                callback = effect.args["callback"]
                walker = PageWalker("alice.test", "sandbox")
                url = await asyncio.to_thread(
                    walker.walk, effect.args["url"], lambda url: leads_to_app(url, callback)
                )
                if callback["via"] == "core":
                    return "presented"
                await core.call("login.callback", callbackUrl=url)
                return "callbackDelivered"

            core.on_effect("auth.present", present, presentations=["webview"])
            await core.initialize("test", "1")
            login = await core.subscribe("login")
            await core.call("login.start")
            with self.assertRaises(Problem):
                await core.call("login.submitHandle", handle="alice")
            await core.finish(await core.call("login.submitHandle", handle="alice.test"))
            await login.wait(lambda state: state["phase"] == "signedIn")
            draft = (await core.call("gallery.createDraft"))["draft"]
            gallery = await core.subscribe("galleryPublish", {"draft": draft})
            files = [{"path": str(self.photo)}]
            await core.finish(await core.call("gallery.addPhotos", draft=draft, files=files))
            await core.call("gallery.setDetails", draft=draft, title="Ä – 😀 \u2028")
            await core.finish(await core.call("gallery.publish", draft=draft))
            state = await gallery.wait(lambda state: state["phase"] == "published")
            self.assertEqual("Ä – 😀 \u2028", state["title"])
            self.assertEqual(state, await core.get("galleryPublish", {"draft": draft}))

    def test_a_reader_that_pauses_at_every_message_sees_the_order_that_was_promised(self) -> None:
        process = subprocess.Popen(
            self.command("slow"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        trace: list[dict[str, Any]] = []
        read_end, write_end = os.pipe()
        slow = threading.Thread(target=_pass_slowly, args=(process.stdout, write_end, trace))
        slow.start()
        with open(read_end, "rb", 0) as output, process:
            with Client(output, process.stdin) as core:
                with contextlib.redirect_stdout(io.StringIO()):
                    Publisher(core, "alice.test", "sandbox").run([self.photo], "Slow")
            slow.join(30)
        self.assertGreater(len(trace), 20)
        self.judge(trace)

    def judge(self, trace: list[dict[str, Any]]) -> None:
        """O3 to O6 of bridge-protocol §8."""
        answered: set[Any] = set()
        revisions: dict[str, int] = {}
        for message in trace:
            params = message.get("params", {})
            if "method" not in message:
                answered.add(message["id"])
                subscription = message.get("result", {}).get("subscription")
                if subscription is not None:
                    revisions[subscription] = 0
            elif message["method"] == "models/snapshot":
                name = params["subscription"]
                self.assertIn(name, revisions, "O3")
                self.assertGreater(params["revision"], revisions[name], "O6")
                self.assertLessEqual(set(params["causedBy"]), answered, "O4")
                self.assertEqual(params.get("base", revisions[name]), revisions[name])
                revisions[name] = params["revision"]
            elif message["method"] == "operations/ended":
                for model, revision in params["revisions"].items():
                    for name, held in revisions.items():
                        if name.startswith(f"{model}."):
                            self.assertGreaterEqual(held, revision, "O5")

    def test_forty_lines_without_this_package_sign_in_and_publish(self) -> None:
        walker = Path(EXAMPLES, "page_walker.py")
        environment = {
            **os.environ,
            "XDG_DATA_HOME": str(self.folder),
            "BROWSER": f"{sys.executable} {walker} %s",
        }
        program = Path(EXAMPLES, "forty_lines.py")
        lines = program.read_text("utf-8").splitlines()
        self.assertLessEqual(len([line for line in lines if line.strip()]), 40)
        command = [sys.executable, str(program), CORE]
        for handle, code, words in (("alice.test", 0, "at://did:"), ("alice", 1, "")):
            done = subprocess.run(
                [*command, handle, str(self.photo)],
                env=environment, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            self.assertEqual(code, done.returncode, done.stderr)
            self.assertTrue(done.stdout.startswith(words))

    def test_a_wrong_command_line_is_told_with_its_meaning(self) -> None:
        with Client.spawn(self.command("wrong", "--nonsense")) as core:
            with self.assertRaisesRegex(CoreGone, "exit 64.*command line"):
                core.call("ping")


def _pass_slowly(source: IO[bytes], target: int, trace: list[dict[str, Any]]) -> None:
    """Hands on one line at a time, and waits between two; the core's pipe is full meanwhile."""
    with open(target, "wb", 0) as output:
        for line in source:
            trace.append(json.loads(line))
            output.write(line)
            time.sleep(0.003)


if __name__ == "__main__":
    unittest.main()
