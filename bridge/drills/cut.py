#!/usr/bin/env python3
"""A network that is cut and comes back, at random moments.

Core and sandbox live in a network namespace whose one link goes down in the middle of sign-ins, switches
and publishes, for a moment or for many seconds. What fails meanwhile says that it is the network and may be
tried again; once the link is up the same draft goes on, nobody is signed out, and every gallery is up once.

Usage: cut.py CORE [--cuts N] [--seed N]
Exit status: 0 it went so, or it was skipped with a reason; 1 it did not.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from network import CoreGone, Network, OperationCancelled, Problem, Shell, running_network

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
from own_network import NoNamespace, rerun_inside  # noqa: E402 (the path comes first)

_OF_THE_NETWORK = ("network.", "server.", "gallery.uploadFailed", "gallery.commitFailed")
_OF_LOOKING_UP = ("login.handleNotFound", "login.identityUnreachable", "effect.failed")


class Unexpected(Exception):
    """It went another way; the words say which."""


class Weather:
    """Cuts, and somebody who works all the same."""

    def __init__(self, network: Network, dice: random.Random) -> None:
        self._network = network
        self._dice = dice
        self._titles: list[str] = []
        self.outcomes: Counter[str] = Counter()

    def live(self, cuts: int) -> None:
        """Cuts so often; ends at the first thing that is not as promised."""
        shell = self._network.shell(self._network.folder / "data")
        shell.open()
        for handle in ("alice.test", "bob.test"):
            shell.sign_in(handle)
        for number in range(cuts):
            self._cut(shell, f"cut {number}")
            for did, account in shell.core.get("accounts")["account"].items():
                if account["standing"] != "ok":
                    raise Unexpected(f"cut {number}: {did} is {account['standing']}")
        dids = list(shell.core.get("accounts")["account"])
        shell.core.close()
        up = [title for did in dids for title in self._network.galleries(did)]
        if sorted(up) != sorted(self._titles):
            raise Unexpected(f"up are {sorted(up)}, reported were {sorted(self._titles)}")

    def _cut(self, shell: Shell, title: str) -> None:
        """Cuts while something goes on, and finishes it afterwards."""
        weather = threading.Thread(target=self._storm)
        weather.start()
        try:
            if self._dice.random() < 0.3:
                self._switch(shell)
            if self._dice.random() < 0.2:
                shell.sign_in(self._dice.choice(["alice.test", "bob.test"]))
            self._publish(shell, title)
            self.outcomes["went through"] += 1
        except Problem as problem:
            self._expect_network(problem, title)
            weather.join()
            self._go_on(shell, title)
        except OperationCancelled:
            self.outcomes["given up"] += 1
        weather.join()

    def _storm(self) -> None:
        time.sleep(self._dice.uniform(0, 0.3))
        _link("down")
        time.sleep(self._dice.choice([0.05, 0.2, 1, 3, 20]))
        _link("up")

    def _publish(self, shell: Shell, title: str) -> None:
        shell.publish(title)
        self._titles.append(title)

    def _switch(self, shell: Shell) -> None:
        state = shell.core.get("accounts")
        other = next(did for did in state["accountOrder"] if did != state["active"])
        shell.core.finish(shell.core.call("accounts.switch", account=other), timeout=60)

    def _expect_network(self, problem: Problem, title: str) -> None:
        self.outcomes[problem.kind] += 1
        if not problem.kind.startswith(_OF_THE_NETWORK + _OF_LOOKING_UP):
            raise Unexpected(f"{title}: {problem.kind}: {problem.words}") from problem

    def _go_on(self, shell: Shell, title: str) -> None:
        """The link is up: the draft that was begun goes on, if there is one."""
        login: dict[str, Any] = shell.core.get("login")
        if "login.cancel" in login["can"]:
            shell.core.call("login.cancel")
        for draft, facts in shell.core.get("drafts")["draft"].items():
            if facts["title"] != title:
                continue
            if gallery := shell.watch(draft):
                if "gallery.retry" in gallery.state["can"]:
                    shell.core.finish(shell.core.call("gallery.retry", draft=draft), timeout=60)
                elif "gallery.publish" in gallery.state["can"]:
                    shell.core.finish(shell.core.call("gallery.publish", draft=draft), timeout=60)
                gallery.wait(lambda state: "publishedUri" in state, 60)
            self._titles.append(title)
            self.outcomes["went on"] += 1


def _link(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


def inside(core: str, cuts: int, seed: int) -> int:
    """The drill, in a network namespace of our own."""
    _link("up")
    with tempfile.TemporaryDirectory() as folder:
        with running_network(core, Path(folder)) as network:
            weather = Weather(network, random.Random(seed))
            try:
                weather.live(cuts)
            except (Unexpected, Problem, CoreGone, TimeoutError) as failure:
                print(f"cut: {failure} (seed {seed})", file=sys.stderr)
                return 1
    outcomes = ", ".join(f"{what} {count}" for what, count in weather.outcomes.most_common())
    print(f"cut: {cuts} cuts: {outcomes}; nobody signed out, every gallery up once")
    return 0


def main(arguments: list[str]) -> int:
    """Runs the drill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--cuts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        return inside(options.core, options.cuts, options.seed)
    print(f"cut: seed {options.seed}", flush=True)
    try:
        numbers = ["--cuts", str(options.cuts), "--seed", str(options.seed)]
        return rerun_inside([__file__, "--inside", options.core, *numbers])
    except NoNamespace as reason:
        print(f"cut: skipped: {reason}")
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
