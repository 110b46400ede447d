#!/usr/bin/env python3
"""A clock that jumps: back an hour, ahead a day, while servers go on by theirs.

The core runs with libfaketime, which tells it another time of day than the machine's; the sandbox runs
without. Between and during sign-ins, switches and publishes the clock jumps. Proofs are then signed with times
no server would take, until the core has learnt the difference from an answer's `Date`. Nobody may be signed
out, every publish that is reported as done is up once, and a draft made before a jump is there after it.

Usage: clock.py CORE [--jumps N] [--seed N]
Exit status: 0 it went so, or it was skipped with a reason; 1 it did not.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
from pathlib import Path

from network import CoreGone, Network, Problem, Shell, running_network

_LIBRARY = "/usr/lib/*/faketime/libfaketime*.so.1"
_JUMPS = (-86_400, -3_600, -90, 90, 3_600, 86_400, -7 * 3_600, 26 * 3_600)


class Unexpected(Exception):
    """It went another way; the words say which."""


class Day:
    """A core on a clock of its own."""

    def __init__(self, network: Network, library: str, dice: random.Random) -> None:
        self._network = network
        self._dice = dice
        self._offset = network.folder / "offset"
        self._set(0)
        self._environment = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(self._offset),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        self._titles: list[str] = []
        self.jumps: list[int] = []

    def live(self, jumps: int) -> None:
        """Jumps so often; ends at the first thing that fails."""
        shell = self._start()
        for handle in ("alice.test", "bob.test"):
            shell.sign_in(handle)
        for number in range(jumps):
            offset = self._dice.choice(_JUMPS)
            self.jumps.append(offset)
            during = self._dice.random() < 0.5
            timer = threading.Timer(self._dice.uniform(0, 0.2) if during else 0, self._set, [offset])
            timer.start()
            if not during:
                timer.join()
            self._act(shell, f"jump {number}")
            timer.join()
            if self._dice.random() < 0.3:
                shell.core.close()
                shell = self._start()
            for did, account in shell.core.get("accounts")["account"].items():
                if account["standing"] != "ok":
                    raise Unexpected(f"{did} is {account['standing']} after {self.jumps}")
        dids = list(shell.core.get("accounts")["account"])
        shell.core.close()
        up = [title for did in dids for title in self._network.galleries(did)]
        if sorted(up) != sorted(self._titles):
            raise Unexpected(f"up are {sorted(up)}, reported were {sorted(self._titles)}")

    def _act(self, shell: Shell, title: str) -> None:
        state = shell.core.get("accounts")
        if self._dice.random() < 0.4:
            other = next(did for did in state["accountOrder"] if did != state["active"])
            shell.core.finish(shell.core.call("accounts.switch", account=other), timeout=60)
        shell.publish(title, photographs=1)
        self._titles.append(title)

    def _start(self) -> Shell:
        shell = self._network.shell(self._network.folder / "data", environment=self._environment)
        if shell.open()["phase"] == "restoring":
            raise Unexpected("the store does not open")
        return shell

    def _set(self, seconds: int) -> None:
        self._offset.write_text(f"{seconds:+d}\n")


def main(arguments: list[str]) -> int:
    """Runs the drill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--jumps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args(arguments)
    libraries = sorted(Path("/").glob(_LIBRARY.lstrip("/")))
    if not libraries:
        print("clock: skipped: libfaketime is not on this machine (Debian: faketime)")
        return 0
    print(f"clock: seed {options.seed}", flush=True)
    # The one for programs with threads, where both are.
    library = next((path for path in libraries if "MT" in path.name), libraries[0])
    with tempfile.TemporaryDirectory() as folder:
        with running_network(options.core, Path(folder)) as network:
            try:
                day = Day(network, str(library), random.Random(options.seed))
                day.live(options.jumps)
            except (Unexpected, Problem, CoreGone, TimeoutError) as failure:
                print(f"clock: {failure} (seed {options.seed})", file=sys.stderr)
                return 1
    print(f"clock: {len(day.jumps)} jumps, nobody signed out, every gallery up once")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
