#!/usr/bin/env python3
"""A shell that reads one byte a second, and one that never reads.

The slow one draws nothing for a while, yet loses nothing: the core goes on taking intents, holds no more
than a few megabytes for it, and once the shell reads again it soon shows the newest state. The silent one
is given up after half a minute with exit status 75, and the draft it was working on is there at the next
start.

Usage: slow.py CORE [--seconds N]
Exit status: 0 it went so; 1 it did not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

_MOST_GROWTH = 16 * 1024  # KiB
_STUCK = 75


class Unexpected(Exception):
    """It went another way; the words say which."""


class Peer:
    """A core, and a shell that reads as it pleases."""

    def __init__(self, core: str, folder: Path) -> None:
        words = [core, "--stdio", "--profile", "sandbox", "--data-dir", str(folder)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._number = 0
        self._line = b""

    def send(self, method: str, **params: Any) -> int:
        """Sends a request; returns its id."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        assert self.process.stdin is not None  # a pipe was asked for
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        return self._number

    def read(self, count: int) -> bytes:
        """What comes next."""
        assert self.process.stdout is not None  # a pipe was asked for
        return os.read(self.process.stdout.fileno(), count)

    def messages_until(self, wanted: int) -> list[dict[str, Any]]:
        """Reads as fast as it can until a request is answered."""
        found = []
        while True:
            chunk = self.read(1 << 16)
            if not chunk:
                raise Unexpected("the core ended")
            *lines, self._line = (self._line + chunk).split(b"\n")
            found += [json.loads(line) for line in lines]
            if any(message.get("id") == wanted and "method" not in message for message in found):
                return found

    def keep(self, byte: bytes) -> None:
        """Puts aside what was read slowly."""
        self._line += byte

    def begin(self) -> None:
        """Says hello and subscribes to the sign-in form."""
        self.send(
            "initialize",
            protocolVersions=[1],
            client={"name": "slow", "version": "1"},
            capabilities={
                "delivery": ["full", "merge"],
                "effects": {"auth.present": {"version": 1, "presentations": ["webview"]}},
            },
            models=[{"model": "login", "schemas": ["v1/models/login.json"]}],
        )
        self.send("models/subscribe", subscription="l", model="login", delivery="full", maxRateHz=60)
        self.messages_until(self.send("login.start"))

    def memory(self) -> int:
        """What it holds in memory, in KiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise Unexpected("the core is gone")


def slow(core: str, folder: Path, seconds: float) -> str:
    """Reads a byte a second while somebody types."""
    peer = Peer(core, folder)
    peer.begin()
    before = peer.memory()
    end = time.monotonic() + seconds
    typed = 0
    texts = iter(range(1 << 30))
    while time.monotonic() < end:
        # A client holds back what is beyond the limit: 64 unanswered requests.
        for _ in range(60 if typed == 0 else 0):
            typed = next(texts)
            peer.send("login.setHandle", handle="x" * 200 + str(typed))
        peer.keep(peer.read(1))
        time.sleep(1)
    growth = peer.memory() - before
    last = peer.messages_until(peer.send("models/get", model="login"))
    answer = next(message for message in reversed(last) if "id" in message)
    if answer["result"]["state"]["handle"] != "x" * 200 + str(typed):
        raise Unexpected("the newest state is not what was typed last")
    if growth > _MOST_GROWTH:
        raise Unexpected(f"the core grew by {growth} KiB")
    peer.process.kill()
    peer.process.wait()
    return f"one byte a second for {seconds:g} s: {growth} KiB more, nothing lost"


def silent(core: str, folder: Path) -> str:
    """Never reads, while more is to be written than a pipe holds."""
    peer = Peer(core, folder)
    peer.begin()
    began = time.monotonic()

    def type_on() -> None:
        try:
            for number in range(1 << 20):
                peer.send("login.setHandle", handle="y" * 240 + str(number))
                time.sleep(0.002)
        except OSError:
            pass  # the core has ended, as it should

    threading.Thread(target=type_on, daemon=True).start()
    try:
        code = peer.process.wait(90)
    except subprocess.TimeoutExpired as late:
        peer.process.kill()
        raise Unexpected("the core does not give up a shell that never reads") from late
    if code != _STUCK:
        raise Unexpected(f"a core with a silent shell ended with status {code}, not {_STUCK}")
    return f"never reading: given up after {time.monotonic() - began:.0f} s with status {code}"


def main(arguments: list[str]) -> int:
    """Runs both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--seconds", type=float, default=60, help="of slow reading (60)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(f"slow: {slow(options.core, Path(folder, 'slow'), options.seconds)}", flush=True)
            print(f"slow: {silent(options.core, Path(folder, 'silent'))}")
        except Unexpected as failure:
            print(f"slow: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
