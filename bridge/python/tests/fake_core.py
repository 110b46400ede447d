"""A core that does what a script says; the tests run it as a process.

The script is a JSON file, a list of steps:

- ``{"await": {…}, "as": name}`` reads a message, which must have these members, and keeps its id;
- ``{"say": {…}}`` writes a message; a text ``"$name"`` in it stands for a kept id;
- ``{"raw": "…"}`` writes text as it is;
- ``{"headers": true}`` from now on frames with ``Content-Length``, in both directions;
- ``{"chunk": n}`` from now on writes n bytes at a time;
- ``{"log": "…", "times": n}`` writes to standard error;
- ``{"silent": seconds}`` fails if a message comes in that time;
- ``{"eof": true}`` waits for the end of input; ``{"hang": true}`` waits for ever;
- ``{"exit": code}`` ends.

It ends with 99 where a message is not the one awaited, and writes what it read to ``script.seen``.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any


class FakeCore:
    """Runs the steps one after another."""

    def __init__(self, script: Path) -> None:
        self.steps = json.loads(script.read_text("utf-8"))
        self.seen = script.with_suffix(".seen").open("w", encoding="utf-8")
        self.ids: dict[str, Any] = {}
        self.rest = b""
        self.chunk = 0
        self.headers = False

    def run(self) -> int:
        """Returns the exit code."""
        for step in self.steps:
            code = self.step(step)
            if code is not None:
                return code
        return 0

    def step(self, step: dict[str, Any]) -> int | None:
        """Runs one step; a number ends the run."""
        if "await" in step:
            message = self.read()
            if message is None or not contains(message, step["await"]):
                print(f"awaited {step['await']}, got {message}", file=sys.stderr)
                return 99
            self.ids[step.get("as", "id")] = message.get("id")
        elif "say" in step:
            text = json.dumps(self.filled(step["say"]), ensure_ascii=False, separators=(",", ":"))
            body = text.encode("utf-8")
            length = b"Content-Length: %d\r\n\r\n" % len(body)
            self.write(length + body if self.headers else body + b"\n")
        elif "raw" in step:
            self.write(step["raw"].encode("utf-8"))
        elif "headers" in step:
            self.headers = bool(step["headers"])
        elif "chunk" in step:
            self.chunk = step["chunk"]
        elif "log" in step:
            for _ in range(step.get("times", 1)):
                print(step["log"], file=sys.stderr)
            sys.stderr.flush()
        elif "silent" in step:
            if self.rest or select.select([0], [], [], step["silent"])[0]:
                return 99
        elif "eof" in step:
            while self.read() is not None:
                pass
        elif "hang" in step:
            while True:
                time.sleep(60)
        elif "exit" in step:
            return int(step["exit"])
        return None

    def read(self) -> dict[str, Any] | None:
        """The next message; None at the end of input."""
        if self.headers:
            header = self.until(b"\r\n\r\n")
            line = None if header is None else self.exactly(int(header.split(b":")[1]))
        else:
            line = self.until(b"\n")
        if line is None:
            return None
        self.seen.write(line.decode("utf-8") + "\n")
        self.seen.flush()
        message: dict[str, Any] = json.loads(line)
        return message

    def until(self, end: bytes) -> bytes | None:
        """What comes before `end`; None at the end of input."""
        while end not in self.rest:
            if not self.more():
                return None
        found, self.rest = self.rest.split(end, 1)
        return found

    def exactly(self, count: int) -> bytes | None:
        """That many bytes; None at the end of input."""
        while len(self.rest) < count:
            if not self.more():
                return None
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def more(self) -> bool:
        """Reads on; false at the end of input."""
        chunk = os.read(0, 65536)
        self.rest += chunk
        return bool(chunk)

    def write(self, data: bytes) -> None:
        """Writes everything, in chunks if the script says so."""
        size = self.chunk or len(data)
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            while piece:
                piece = piece[os.write(1, piece) :]

    def filled(self, value: Any) -> Any:
        """The value with kept ids in place."""
        if isinstance(value, str) and value.startswith("$") and value[1:] in self.ids:
            return self.ids[value[1:]]
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        return [self.filled(item) for item in value] if isinstance(value, list) else value


def contains(value: Any, part: Any) -> bool:
    """Whether `value` has everything `part` has."""
    if isinstance(part, dict):
        return isinstance(value, dict) and all(
            key in value and contains(value[key], item) for key, item in part.items()
        )
    return bool(value == part)


if __name__ == "__main__":
    sys.exit(FakeCore(Path(sys.argv[1])).run())
