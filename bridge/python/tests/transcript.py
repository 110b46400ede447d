"""Runs a transcript (bridge-protocol §13) with this package's framing, merging and digests.

Steps for windows are passed over; golden files are for the core's own tests.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Mapping
from urllib.parse import urlsplit

from page_walker import PageWalker  # the tests' package puts the examples on the path

from grain_core import MessageSplitter, encode, merge_patch
from grain_core.state import HeldState

from .pattern import mismatch

_USUAL_WAIT = 2_000
_USUAL_END = 10_000
_PATIENCE = 5  # what every limit is multiplied with: for machines with much else to do
_WISHES = {"callbackUrl": "agree", "deniedCallbackUrl": "deny", "cancelledCallbackUrl": "cancel"}
_PEOPLE = {"/authorize": "alice@example.com", "/web/v1/login": "alice"}  # where no handle is typed

Step = dict[str, Any]


class StepFailure(AssertionError):
    """A step did not go as the transcript says."""


class Inbox:
    """What has come from a core: messages nobody has taken yet, and the states they bring."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pending: list[dict[str, Any]] = []
        self.own: dict[str, dict[str, Any]] = {}  # answers to the runner's own requests
        self.fault: Exception | None = None
        self.listens = threading.Event()
        self.listens.set()
        self.is_abandoned = threading.Event()
        self._states: dict[str, HeldState] = {}
        self._is_over = False
        self._changed = threading.Condition()
        assert process.stdout is not None  # a pipe was asked for
        self._output = process.stdout
        threading.Thread(target=self._read, daemon=True).start()

    def look(self, within: int, find: Callable[[], Any]) -> Any:
        """Looks now and after all that comes, until there is something or the time is up."""
        end = time.monotonic() + within / 1000
        with self._changed:
            while True:
                found, left = find(), end - time.monotonic()
                if found is not None or self._is_over or self.fault is not None or left <= 0:
                    return found
                self._changed.wait(left)

    def state(self, model: str, subscription: str | None) -> dict[str, Any] | None:
        """The state of a model: of that subscription, or of the newest that shows it."""
        shown = [
            held.value
            for name, held in self._states.items()
            if held.model == model and subscription in (None, name)
        ]
        return shown[-1] if shown else None

    def _read(self) -> None:
        splitter: MessageSplitter | None = None
        while not self.is_abandoned.is_set():
            self.listens.wait()
            if not select.select([self._output], [], [], 0.1)[0]:
                continue
            chunk = os.read(self._output.fileno(), 65536)
            if splitter is None:  # as the core was spoken to
                splitter = MessageSplitter("headers" if chunk[:1] == b"C" else "lines")
            with self._changed:
                try:
                    for message in splitter.feed(chunk):
                        self._take(message)
                except Exception as error:  # whoever waits for the next message is told
                    self.fault = error
                self._is_over = not chunk
                self._changed.notify_all()
            if not chunk:
                break
        self._output.close()

    def _take(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is None and str(message.get("id")).startswith("runner-"):
            self.own[message["id"]] = message
            return
        if method == "models/closed":
            self._states.pop(params["subscription"], None)
        elif method == "models/snapshot":
            held = self._states.setdefault(params["subscription"], HeldState(params["model"]))
            if "base" in params and params["revision"] <= held.revision:
                raise StepFailure(f"revision {params['revision']} came late")
            if not held.apply(params):
                raise StepFailure(f"revision {params['revision']} does not continue what is held")
        self.pending.append(message)


class TranscriptRun:
    """One run of one transcript; its core works in `folder`."""

    def __init__(self, program: str, path: Path, folder: Path, photo: Path) -> None:
        numbered = enumerate(path.read_text("utf-8").split("\n"), 1)
        lines = [(number, json.loads(line)) for number, line in numbered if line.strip()]
        self._header: Step = lines[0][1]
        self._steps: list[tuple[int, Step]] = lines[1:]
        self._program = program
        self._folder = folder
        self._photo = photo
        self._values: dict[str, Any] = {}
        self._handle = "alice.test"
        self._page: tuple[str, bool] | None = None  # of the last `auth.present`; the core waits
        self._requests = 0
        self._accounts = 0

    def run(self) -> None:
        """Raises StepFailure, with the line, where the core or this package is wrong."""
        self._start()
        try:
            for number, step in self._steps:
                try:
                    self._perform(step)
                    if self._inbox.fault is not None:
                        raise StepFailure(str(self._inbox.fault))
                except StepFailure as failure:
                    raise StepFailure(f"line {number}: {failure}") from None
            self._stop("eof", _USUAL_END)
        finally:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        words = [self._program, "--stdio", *self._header.get("core", {}).get("args", [])]
        if any("restart" in step for _, step in self._steps):
            words += ["--data-dir", str(self._folder / "data")]
        home = str(self._folder)
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": home, "XDG_DATA_HOME": home},
        )  # fmt: skip
        self._inbox = Inbox(self._process)

    def _perform(self, step: Step) -> None:
        within = step.get("within", _USUAL_WAIT)
        if "send" in step:
            self._send(step["send"])
        elif "answer" in step:
            self._answer(step["answer"])
        elif "expect" in step:
            self._expect(step["expect"], step.get("strict", False), within, step.get("as", {}))
        elif "wait" in step:
            self._wait(step["wait"], within, step.get("as", {}))
        elif "never" in step:
            self._never(step["never"], step.get("for", 200))
        elif "advance" in step:
            self._ask("$/test/advance", {"ms": step["advance"]})
        elif "fault" in step:
            self._fault(step)
        elif "raw" in step:
            self._write(_bytes(step["raw"]))
        elif "restart" in step:
            self._restart(step["restart"].get("signal"))
        elif "end" in step:
            self._end(step["end"], step.get("within", _USUAL_END))

    # MARK: Speaking

    def _send(self, message: Step) -> None:
        filled = self._filled(message)
        if filled.get("method") == "login.submitHandle":
            self._handle = filled["params"]["handle"]
        self._say(filled)

    def _answer(self, message: Step) -> None:
        filled = self._filled(message)
        self._say(filled)
        # Where the core itself waits for the callback, the browser brings it there.
        if self._page and self._page[1] and filled.get("result") == {"outcome": "presented"}:
            self._walk("callbackUrl")

    def _say(self, message: Mapping[str, Any]) -> None:
        self._write(encode({"jsonrpc": "2.0", **message}))

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None  # a pipe was asked for
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            pass  # a core that has ended is what the next step finds out

    def _ask(self, method: str, params: Mapping[str, Any]) -> None:
        """A request of the runner's own; its answer is no part of the transcript."""
        self._requests += 1
        name = f"runner-{self._requests}"
        self._say({"id": name, "method": method, "params": params})
        answer = self._inbox.look(_USUAL_END * _PATIENCE, lambda: self._inbox.own.get(name))
        if answer is None or "error" in answer:
            raise StepFailure(f"{method}: {answer}")

    def _fault(self, step: Step) -> None:
        name, is_on = step["fault"], step.get("on", True)
        if name == "peer.stopReading":
            (self._inbox.listens.clear if is_on else self._inbox.listens.set)()
        elif name == "peer.kill":
            self._inbox.is_abandoned.set()
            self._close_input()
        else:
            members = {"ms": step["ms"]} if "ms" in step else {}
            self._ask("$/test/fault", {"fault": name, "on": is_on, **members})

    def _filled(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._filled(element) for element in value]
        if isinstance(value, dict):
            filled = {name: self._filled(one) for name, one in value.items() if name != "$use"}
            return merge_patch(PRESETS[value["$use"]], filled) if "$use" in value else filled
        if not isinstance(value, str):
            return value
        if value.startswith("$$"):
            return value[1:]
        kind, _, rest = value.partition(":")
        if kind == "$var":
            return self._values[rest]
        if kind == "$secret":
            return self._walk(rest)
        return str(self._photo) if kind == "$private" else value

    def _walk(self, secret: str) -> str:
        """Where the sign-in pages lead somebody who agrees, denies, or leaves."""
        assert self._page is not None  # a page was presented
        self._accounts += 1
        new_name = f"new{self._accounts}.signup.test"
        name = _PEOPLE.get(urlsplit(self._page[0]).path, self._handle)
        walker = PageWalker(name, "sandbox", _WISHES[secret], new_name)
        return walker.walk(self._page[0], lambda url: "code=" in url or "error=" in url)

    # MARK: Listening

    def _expect(
        self, pattern: Step, is_strict: bool, within: int, names: Mapping[str, str]
    ) -> None:
        def find() -> Any:
            for index, message in enumerate(self._inbox.pending):
                difference = mismatch(pattern, message, self._values)
                if difference is None:
                    del self._inbox.pending[: index + 1]
                    return message
                passing = ("models/snapshot", "$/progress", "$/cancelRequest")
                if is_strict or message.get("method") not in passing:
                    raise StepFailure(f"another message came: {difference}")
            return None

        found = self._inbox.look(within * _PATIENCE, find)
        if found is None:
            raise StepFailure(f"nothing came like {json.dumps(pattern)}")
        if found.get("method") == "effects/perform":
            args = found["params"]["args"]
            if "url" in args:
                self._page = (args["url"], args.get("callback", {}).get("via") == "core")
        self._keep(names, found)

    def _keep(self, names: Mapping[str, str], value: Any) -> None:
        for name, pointer in names.items():
            found = value
            for key in pointer.split("/")[1:]:
                found = found[int(key) if isinstance(found, list) else key]
            self._values[name] = found

    def _wait(self, place: Step, within: int, names: Mapping[str, str]) -> None:
        difference: list[str | None] = [None]

        def find() -> Any:
            held = self._inbox.state(place["model"], place.get("subscription"))
            difference[0] = "it is not subscribed to"
            if held is not None:
                difference[0] = mismatch(place.get("where", {}), held, self._values)
            return held if difference[0] is None else None

        state = self._inbox.look(within * _PATIENCE, find)
        if state is None:
            raise StepFailure(f"{place['model']}: {difference[0]}")
        self._keep(names, state)

    def _never(self, pattern: Step, time: int) -> None:
        def find() -> Any:
            fitting = (m for m in self._inbox.pending if not mismatch(pattern, m, self._values))
            return next(fitting, None)

        came = self._inbox.look(time, find)
        if came is not None:
            raise StepFailure(f"this came, which must not: {came}")

    # MARK: Ending

    def _restart(self, name: str | None) -> None:
        if name is not None:
            self._process.send_signal(signal.Signals[f"SIG{name}"])
        self._stop("eof", _USUAL_END)
        self._page = None
        self._start()

    def _end(self, how: Step, within: int) -> None:
        by = how.get("by", "shutdown")
        code = self._stop(by, within)
        wanted = -signal.SIGKILL if by == "KILL" else how.get("exitCode", 0)
        if code != wanted:
            raise StepFailure(f"the core ended with {code}, not with {wanted}")

    def _stop(self, by: str, within: int) -> int:
        """Ends the core; returns its exit code, negative if a signal ended it."""
        if by == "shutdown":
            try:
                self._ask("shutdown", {})
            except StepFailure:
                pass  # one that has not begun refuses it
        if by in ("shutdown", "exit"):
            self._say({"method": "exit"})
        if by in ("TERM", "HUP", "KILL"):
            self._process.send_signal(signal.Signals[f"SIG{by}"])
        if by not in ("TERM", "HUP", "itself"):
            self._close_input()
        try:
            return self._process.wait(within * _PATIENCE / 1000)
        except subprocess.TimeoutExpired:
            raise StepFailure(f"the core did not end ({by})") from None
        finally:
            self._close_input()

    def _close_input(self) -> None:
        assert self._process.stdin is not None  # a pipe was asked for
        try:
            self._process.stdin.close()
        except OSError:
            pass  # the core has closed its end already


def _bytes(value: Any) -> bytes:
    """Bytes as a transcript writes them: text, {text, times}, {hex, times}, or a list of these."""
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, list):
        return b"".join(_bytes(part) for part in value)
    once = value["text"].encode("utf-8") if "text" in value else bytes.fromhex(value["hex"])
    return once * int(value.get("times", 1))


_NAMES = {"galleryPublish": "gallery-publish"}
_EFFECTS = (
    "url.open", "scheme.register", "files.pick", "notification.show", "notification.close",
    "keyring.unlock", "clipboard.write",
)  # fmt: skip
PRESETS: dict[str, Any] = {
    "initialize.default": {
        "protocolVersions": [1],
        "client": {"name": "transcript", "version": "1"},
        "capabilities": {
            "delivery": ["merge", "full"],
            "progress": True,
            "effects": {
                "auth.present": {"version": 1, "presentations": ["webview"]},
                **{name: {"version": 1} for name in _EFFECTS},
            },
        },
        "models": [
            {"model": model, "schemas": [f"v1/models/{_NAMES.get(model, model)}.json"]}
            for model in ("login", "accounts", "drafts", "devices", "galleryPublish")
        ],
    }
}
