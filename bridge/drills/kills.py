#!/usr/bin/env python3
"""Kills the core at random moments and looks at what is left.

The sandbox runs in a process of its own and survives. Each round starts a core over the same data folder,
lets it do one thing, and kills it with signal 9 at a random moment of it; the next start must open the
store, show everybody who was signed in, and go on. At the end every gallery whose publish was accepted is
up exactly once, and no other more than once.

Usage: kills.py CORE [--kills N] [--seconds N] [--seed N]
Exit status: 0 nothing was lost or doubled; 1 something was, with the seed to see it again.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from network import CoreGone, Network, Problem, Shell, running_network

# Longer than any token lives: every switch refreshes first.
_ALWAYS_REFRESH = {"refreshLeadMs": 86_400_000}
_WORK = ("start", "migration", "sign-in", "refresh", "publish", "sign-out")
# The step of the store that can be taken back: before it an account was named by its DID. The look at old
# grants, which every store has once, is taken back with it.
_STEP = 4
_STEP_BACK = """
BEGIN;
ALTER TABLE account RENAME COLUMN id TO did;
UPDATE account SET body = json_set(json_remove(body, '$.id'), '$.did', json_extract(body, '$.id'));
UPDATE setting SET name = 'activeDID' WHERE name = 'activeAccount';
ALTER TABLE revocation DROP COLUMN provider;
DELETE FROM setting WHERE name = 'scopeMigrationDone_v3';
PRAGMA user_version = 3;
COMMIT;
"""


class Lost(Exception):
    """A promise is broken; the words say which."""


class Drill:
    """The rounds, and what is known for certain between them."""

    def __init__(self, network: Network, dice: random.Random) -> None:
        self._network = network
        self._dice = dice
        self._data = network.folder / "data"
        self._kills: Counter[str] = Counter()
        self._lasts: dict[str, float] = {}
        self._ended = 0
        self._rounds = 0
        # Accounts whose sign-in was reported as done, and whose sign-out never began.
        self._signed_in: set[str] = set()
        # Titles whose publish may have begun, and those whose publish was reported as done.
        self._tried: set[str] = set()
        self._done: set[str] = set()

    def run(self, kills: int, seconds: float) -> None:
        """Kills so often, or for so long, whichever ends first; then settles and judges."""
        end = time.monotonic() + seconds
        with_accounts = self._network.shell(self._data)
        with_accounts.open()
        for handle in ("alice.test", "bob.test"):
            with_accounts.sign_in(handle)
        self._signed_in = set(with_accounts.core.get("accounts")["account"])
        with_accounts.core.close()
        while self._kills.total() < kills and time.monotonic() < end:
            self._round(self._dice.choice(_WORK))
        self._settle()
        self._judge()

    def _round(self, work: str) -> None:
        self._rounds += 1
        if work == "start":
            return self._fresh_start()
        if work == "migration":
            return self._migrate()
        shell = self._network.shell(
            self._data, times=_ALWAYS_REFRESH if work == "refresh" else None
        )
        state = self._look(shell)
        step = {
            "sign-in": lambda: self._sign_in(shell, state),
            "refresh": lambda: self._switch(shell, state),
            "publish": lambda: self._publish(shell, state),
            "sign-out": lambda: self._sign_out(shell, state),
        }[work]
        self._interrupt(work, shell, step)

    def _look(self, shell: Shell) -> dict[str, Any]:
        """Opens the core over what the kill left.

        Raises:
            Lost: it does not open, or somebody is missing.
        """
        try:
            state = shell.open()
        except (Problem, CoreGone, TimeoutError) as error:
            raise Lost(f"round {self._rounds}: the store does not open: {error}") from error
        if state["phase"] == "restoring":
            raise Lost(f"round {self._rounds}: {state['problem']['message']['fallback']}")
        missing = self._signed_in - set(state["account"])
        if missing:
            raise Lost(f"round {self._rounds}: {', '.join(sorted(missing))} left the list")
        for did, account in state["account"].items():
            # A token that was exchanged for one nobody has written down is gone: that is shown, and
            # one sign-in brings the account back.
            if account["standing"] == "expired":
                self._ended += 1
                self._signed_in.discard(did)
                shell.password_of = account["handle"]
                verdict = shell.core.call("accounts.reauthenticate", account=did)
                shell.core.finish(verdict, timeout=60)
                self._signed_in.add(did)
        return shell.core.get("accounts")

    def _interrupt(self, work: str, shell: Shell, step: Callable[[], object]) -> None:
        """Kills the core somewhere in a piece of work; the first time of each is left to measure it."""
        began = time.monotonic()
        usual = self._lasts.get(work)
        timer = None
        if usual is not None:
            timer = threading.Timer(self._dice.uniform(0, 1.1 * usual), shell.kill)
            timer.start()
        try:
            step()
            lasted = time.monotonic() - began
            self._lasts[work] = lasted if usual is None else max(usual * 0.9, lasted)
        except (CoreGone, Problem, TimeoutError) as error:
            of_itself = timer is None or isinstance(error, TimeoutError)
            if of_itself and not self._has_ended(shell):
                raise Lost(f"round {self._rounds}: {work} failed by itself: {error}") from error
        if timer is None:
            shell.core.close()
        else:
            timer.join()
            self._kills[work] += 1

    @staticmethod
    def _has_ended(shell: Shell) -> bool:
        """Whether a grant lost in an earlier kill was found out only now, in the middle of the work."""
        try:
            accounts = shell.core.get("accounts")["account"].values()
        except (CoreGone, TimeoutError):
            return False
        return any(account["standing"] == "expired" for account in accounts)

    # MARK: Pieces of work

    def _fresh_start(self) -> None:
        """A folder nobody has used: killed while the store and its key are made, it opens after that."""
        with tempfile.TemporaryDirectory(dir=self._network.folder) as folder:
            data = Path(folder, "data")
            self._interrupt("start", shell := self._network.shell(data), shell.open)
            again = self._network.shell(data)
            try:
                state = again.open()
            except (Problem, CoreGone, TimeoutError) as error:
                raise Lost(f"round {self._rounds}: a new store does not open: {error}") from error
            if state["phase"] != "empty":
                raise Lost(f"round {self._rounds}: a new store is {state['phase']}")
            again.core.close()

    def _migrate(self) -> None:
        """The store as an older core left it: killed while it is brought up to date, nobody is missing."""
        with closing(sqlite3.connect(self._data / "core.sqlite")) as store:
            (step,) = store.execute("PRAGMA user_version").fetchone()
            if step == _STEP:
                store.executescript(_STEP_BACK)
            elif step != _STEP - 1:  # The step may just have been taken back, and the core killed.
                raise Lost(f"round {self._rounds}: the store is at step {step}, not {_STEP}")
        self._interrupt("migration", shell := self._network.shell(self._data), shell.open)
        self._look(again := self._network.shell(self._data))
        again.core.close()

    def _sign_in(self, shell: Shell, state: dict[str, Any]) -> None:
        known = {account["handle"]: did for did, account in state["account"].items()}
        handle = self._dice.choice(["alice.test", "bob.test"])
        shell.sign_in(handle)
        self._signed_in.add(known.get(handle) or shell.core.get("accounts")["active"])

    def _switch(self, shell: Shell, state: dict[str, Any]) -> None:
        for did in state["account"]:
            if did != state.get("active"):
                shell.core.finish(shell.core.call("accounts.switch", account=did), timeout=60)
                return

    def _publish(self, shell: Shell, state: dict[str, Any]) -> None:
        if "active" not in state:
            return
        title = f"kill {self._rounds}"
        self._tried.add(title)
        shell.publish(title)
        self._done.add(title)

    def _sign_out(self, shell: Shell, state: dict[str, Any]) -> None:
        for did, account in state["account"].items():
            if account["handle"] == "bob.test":
                self._signed_in.discard(did)
                shell.core.finish(shell.core.call("accounts.signOut", account=did), timeout=60)
                return

    # MARK: The end

    def _settle(self) -> None:
        """Lets everything that was interrupted come to its end, for everybody."""
        shell = self._network.shell(self._data)
        self._look(shell)
        for handle in ("alice.test", "bob.test"):
            shell.sign_in(handle)
            self._signed_in.add(str(shell.core.get("accounts")["active"]))
            drafts = shell.core.subscribe("drafts")
            for draft, facts in drafts.state["draft"].items():
                # It goes on by itself; the model is there to be watched.
                if facts["resumable"] and (gallery := shell.watch(draft)):
                    gallery.wait(lambda state: state["phase"] in ("published", "failed"), 60)
            drafts.wait(
                lambda state: not any(facts["resumable"] for facts in state["draft"].values()), 60
            )
            shell.core.unsubscribe(drafts)
        shell.core.close()

    def _judge(self) -> None:
        up: Counter[str] = Counter()
        for did in self._signed_in:
            up.update(self._network.galleries(did))
        doubled = sorted(title for title, count in up.items() if count > 1)
        lost = sorted(self._done - set(up))
        strange = sorted(set(up) - self._tried)
        if doubled or lost or strange:
            raise Lost(f"twice up: {doubled}; reported but not up: {lost}; never asked: {strange}")
        kinds = ", ".join(f"{count} in {work}" for work, count in sorted(self._kills.items()))
        print(
            f"kills: {self._kills.total()} ({kinds}); the store opened every time; {len(up)} galleries of "
            f"{len(self._tried)} begun are up, each once; {self._ended} grants ended between the server's "
            "answer and the disk"
        )


def main(arguments: list[str]) -> int:
    """Runs the drill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--kills", type=int, default=200, help="at most so many (200)")
    parser.add_argument("--seconds", type=float, default=1800, help="and no longer than this (1800)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args(arguments)
    print(f"kills: seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with running_network(options.core, Path(folder)) as network:
            try:
                Drill(network, random.Random(options.seed)).run(options.kills, options.seconds)
            except Lost as lost:
                print(f"kills: {lost} (seed {options.seed})", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
