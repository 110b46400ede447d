#!/usr/bin/env python3
"""A day of use, and the two weeks after it, in a minute.

With `--profile test` time stands still until it is told to go on. Every hour somebody switches, publishes, or
leaves the program alone; twice the core is ended and started again. Tokens, nonces and proofs run out on
the way, and nobody is signed out; after the two weeks a session may last, everybody is, and both come
back with one sign-in each. At the end every gallery is up once.

Usage: day.py CORE [--hours N] [--seed N]
Exit status: 0 it went so; 1 it did not.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from network import CoreGone, OperationCancelled, Problem, Shell, photograph

_HOUR = 3_600_000
_PEOPLE = ("alice.test", "bob.test")


class Day:
    """One life of the data folder."""

    def __init__(self, core: str, folder: Path, dice: random.Random) -> None:
        self._words = [core, "--stdio", "--profile", "test", "--data-dir", str(folder / "data")]
        self._photo = photograph(folder)
        self._dice = dice
        self._published: list[str] = []
        self._shell = self._start()

    def _start(self) -> Shell:
        shell = Shell(self._words, self._photo)
        shell.open()
        threading.Thread(target=self._trickle, args=(shell,), daemon=True).start()
        return shell

    @staticmethod
    def _trickle(shell: Shell) -> None:
        """Lets time go on a little all the while: what waits before it tries again gets its turn."""
        with contextlib.suppress(CoreGone, Problem, TimeoutError):
            while True:
                time.sleep(0.2)
                shell.core.call("$/test/advance", ms=200)

    def live(self, hours: int) -> None:
        """Lives it through; anything that fails ends it."""
        for handle in _PEOPLE:
            self._shell.sign_in(handle)
        for hour in range(hours):
            self._advance(_HOUR + self._dice.randrange(_HOUR // 4))
            self._hour(hour)
            self._expect("ok", f"hour {hour}")
            if hour in (hours // 3, 2 * hours // 3):
                self._shell.core.close()
                self._shell = self._start()
        self._advance(15 * 24 * _HOUR)
        for did, account in self._accounts()["account"].items():
            self._find_out(did)
            self._expect("expired", f"two weeks, {account['handle']}", did)
            verdict = self._shell.core.call("accounts.reauthenticate", account=did)
            self._shell.password_of = account["handle"]
            self._shell.core.finish(verdict)
        self._expect("ok", "the return")
        self._shell.core.close()

    def _hour(self, hour: int) -> None:
        core = self._shell.core
        others = [did for did in self._accounts()["account"] if did != self._accounts()["active"]]
        if self._dice.random() < 0.6:
            core.finish(core.call("accounts.switch", account=others[0]))
        if self._dice.random() < 0.5:
            title = f"hour {hour}"
            self._published.append(self._shell.publish(title))

    def _find_out(self, did: str) -> None:
        """Uses an account, which tells whether its session has ended."""
        try:
            if self._accounts().get("active") != did:
                self._shell.core.finish(self._shell.core.call("accounts.switch", account=did))
            self._shell.publish("too late")
        except (Problem, OperationCancelled):
            pass  # what the list says is looked at next
        self._shell.core.subscribe("accounts").wait(
            lambda state: state["account"][did]["standing"] != "ok", timeout=20
        )

    def _expect(self, standing: str, when: str, only: str | None = None) -> None:
        for did, account in self._accounts()["account"].items():
            if only in (None, did) and account["standing"] != standing:
                raise Unexpected(f"{when}: {account.get('handle', did)} is {account['standing']}")

    def _accounts(self) -> dict[str, Any]:
        return self._shell.core.get("accounts")

    def _advance(self, milliseconds: int) -> None:
        self._shell.core.call("$/test/advance", ms=milliseconds)

    def summary(self) -> str:
        """What there was."""
        if len(set(self._published)) != len(self._published):
            raise Unexpected("two galleries have one address")
        return f"{len(self._published)} galleries, nobody signed out before the two weeks were over"


class Unexpected(Exception):
    """The day took another turn; the words say which."""


def main(arguments: list[str]) -> int:
    """Runs the drill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--hours", type=int, default=24, help="of use before the pause (24)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args(arguments)
    print(f"day: seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            day = Day(options.core, Path(folder), random.Random(options.seed))
            day.live(options.hours)
            print(f"day: {options.hours} hours: {day.summary()}")
        except (Unexpected, Problem, CoreGone, TimeoutError) as failure:
            print(f"day: {failure} (seed {options.seed})", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
