#!/usr/bin/env python3
"""A shell that does not read, for as long as the protocol speaks of: silent_shell.py CORE

Two sessions beside each other (bridge-protocol §14.6 and §14.7): one reads nothing for 20 s while the core has
thousands of changes to tell, then everything; one never reads again, and is left with 75 after 30 s.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Iterator

PAUSE = 20
STUCK = (29.0, 40.0)
REQUESTS = 10_000  # the refusals of most of them are less than a core holds back (4 MiB)
MOST_GROWTH = 24 << 10  # KiB


class Session:
    """One core; what it writes is read when somebody asks."""

    def __init__(self, core: str, folder: str) -> None:
        environment = {**os.environ, "HOME": folder}
        self.process = subprocess.Popen(
            [core, "--stdio", "--profile", "test"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        client = {"name": "silent", "version": "1"}
        models = [{"model": "login", "schemas": ["v1/models/login.json"]}]
        effects = {"url.open": {"version": 1}}
        capabilities = {"delivery": ["merge", "full"], "effects": effects}
        self.send(1, "initialize", protocolVersions=[1], client=client, models=models, capabilities=capabilities)
        self.send(2, "models/subscribe", subscription="s", model="login")
        self.send(3, "login.start")
        for message in self.messages():
            if message.get("id") == 3:
                break

    def send(self, number: int, method: str, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.input.write(json.dumps(message).encode() + b"\n")
        self.input.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        for line in self.output:
            yield json.loads(line)

    def memory(self) -> int:
        """Its resident memory, in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def returns(core: str, folder: str) -> None:
    """Silent for a while; then nothing is missing and nothing has grown."""
    session = Session(core, folder)
    before = session.memory()
    begin = time.monotonic()
    for number in range(10, 10 + REQUESTS):
        session.send(number, "login.setHandle", handle=f"a{number}")
    time.sleep(max(0.0, begin + PAUSE - time.monotonic()))
    growth = session.memory() - before
    session.send(1 << 30, "ping")
    answers: dict[int, str] = {}
    revision, handle = 0, ""
    for message in session.messages():
        if message.get("method") == "models/snapshot":
            params = message["params"]
            assert params["revision"] > revision, "revisions rise"
            revision = params["revision"]
            handle = params["state"]["handle"]
        elif "id" in message:
            assert message["id"] not in answers, "answered twice"
            refusal = message.get("error", {}).get("data", {}).get("kind", "")
            answers[message["id"]] = refusal
            if message["id"] == 1 << 30:
                session.input.close()  # what was read is still answered, and the last state told
    assert session.process.wait(30) == 0
    assert set(answers) == {*range(10, 10 + REQUESTS), 1 << 30}, "each is answered"
    assert set(answers.values()) <= {"", "protocol.overloaded"}, set(answers.values())
    last = max(number for number in range(10, 10 + REQUESTS) if answers[number] == "")
    assert handle == f"a{last}", f"the last state is told: {handle}, not a{last}"
    assert growth < MOST_GROWTH, f"it has grown by {growth} KiB"
    accepted = sum(1 for refusal in answers.values() if refusal == "") - 1
    print(f"silent for {PAUSE} s: {accepted} of {REQUESTS} accepted, the rest refused, {growth} KiB more")


def stays_away(core: str, folder: str) -> None:
    """Silent for good; the core leaves."""
    session = Session(core, folder)
    padding = "a" * 1_000
    for number in range(10, 1_000):  # the refusals alone are more than a pipe holds
        session.send(number, "login.setHandle", padding=padding)
    begin = time.monotonic()
    code = session.process.wait(STUCK[1] + 20)
    took = time.monotonic() - begin
    assert code == 75, code
    assert STUCK[0] <= took <= STUCK[1], took
    print(f"silent for good: left with 75 after {took:.1f} s")


def main() -> int:
    core = os.path.abspath(sys.argv[1])
    faults: list[BaseException] = []

    def run(work: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                work(core, folder)
            except BaseException as error:  # told at the end, by whoever waits for both
                faults.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in (returns, stays_away)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for fault in faults:
        print(f"silent_shell.py: {fault!r}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
