#!/usr/bin/env python3
"""Validates recorded sessions against the schemas, message by message, in both directions.

A file is NDJSON, one step a line (bridge-protocol §13). In a recording every line has ``t``, and
messages are complete: they are followed as a session. Otherwise the file is a script, whose
expectations are partial: names and types are checked.

Usage: validate_messages.py [--schemas DIR] FILE...      ("-" reads standard input)
Exit status: 0 all valid, 1 something was refused, 2 a file could not be read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import strict_json
from bundle import DEFAULT, Bundle, Refusal
from script import Script
from session import Session

_STEPS = {
    "transcript", "send", "expect", "answer", "wait", "golden", "never", "advance", "fault", "raw",
    "restart", "ui", "shot", "note", "end",
}  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A refusal and the line it stands on, counted from one."""

    line: int
    refusal: Refusal

    def __str__(self) -> str:
        return f"{self.line}: {self.refusal}"


def findings(bundle: Bundle, lines: Iterable[str]) -> Iterator[Finding]:
    """Everything said against the steps of one file.

    Args:
        bundle: the schemas.
        lines: the file's lines; blank ones are skipped.
    """
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    steps = [(number, _step(line)) for number, line in numbered]
    is_recording = any("t" in step for _, step in steps if isinstance(step, dict))
    judge: Session | Script = Session(bundle) if is_recording else Script(bundle)
    for number, step in steps:
        if isinstance(step, Refusal):
            yield Finding(number, step)
        elif "restart" in step:
            judge = type(judge)(bundle)
        else:
            if is_recording:
                yield from (Finding(number, refusal) for refusal in _secrets(bundle, step))
            for refusal in _judged(judge, step):
                yield Finding(number, refusal)


def _step(line: str) -> dict[str, Any] | Refusal:
    try:
        step = strict_json.loads(line)
    except ValueError as error:
        return Refusal("", f"is not JSON: {error}")
    if not isinstance(step, dict) or len(_STEPS & step.keys()) != 1:
        return Refusal("", "is not one step")
    for key in ("send", "expect", "answer"):
        if key in step and not isinstance(step[key], dict):
            return Refusal(f"/{key}", "is not a message")
    return step


def _judged(judge: Session | Script, step: dict[str, Any]) -> Iterator[Refusal]:
    if "send" in step:
        yield from judge.sent(step["send"])
    elif "expect" in step:
        yield from judge.received(step["expect"])
    elif "answer" in step:
        yield from judge.performed(step["answer"])
    elif "raw" in step:
        yield from judge.sent(_readable(step["raw"]))


def _readable(raw: Any) -> dict[str, Any]:
    """What bytes sent as they are mean to the core; nothing, where they are no message."""
    try:
        message = strict_json.loads(str(raw))
    except ValueError:
        message = None
    is_call = isinstance(message, dict) and "method" in message
    return message if is_call else {"method": "(unreadable)"}


def _secrets(bundle: Bundle, step: dict[str, Any]) -> Iterator[Refusal]:
    """A recorder replaces what a schema marks secret, before it writes."""
    message = step.get("send")
    params = message.get("params") if message else None
    intent = bundle.manifest["intents"].get(message.get("method", "")) if message else None
    if intent is None or not isinstance(params, dict):
        return
    schema = bundle.resolve(intent["schema"], "#/$defs/params")
    for name, member in schema["properties"].items():
        if member.get("x-grain-sensitive") == "secret":
            text = params.get(name, "")
            if text and not str(text).startswith("$secret:"):
                yield Refusal(f"/send/params/{name}", "a recording holds a secret in the clear")


def _lines(name: str) -> list[str]:
    if name == "-":
        return sys.stdin.read().split("\n")
    return Path(name).read_bytes().decode("utf-8").split("\n")


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Validates recorded bridge sessions.")
    parser.add_argument("--schemas", type=Path, default=DEFAULT, metavar="DIR")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args(arguments)
    status = 0
    try:
        bundle = Bundle(options.schemas)
        for name in options.files:
            lines = _lines(name)
            count = sum(1 for line in lines if line.strip())
            found = list(findings(bundle, lines))
            for finding in found:
                print(f"{name}:{finding}")
            if found or count == 0:
                status = 1
            print(f"{name}: {count} steps, {len(found)} refused" if count else f"{name}: empty")
    except (OSError, ValueError) as error:
        print(f"validate_messages: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
