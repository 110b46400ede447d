#!/usr/bin/env python3
"""A disk that is full, at every write in turn.

The data folder lies on a small file system of its own, of which a filler leaves a little more free in each
round: so each round fails at another write, from the first page of the store to the last picture of a
draft. Whatever happens then is said as `store.full` or succeeds; once there is room again, the same
folder goes on, whoever was reported as signed in is, and a gallery is up at most once, and once if it was
reported as published.

Usage: full.py CORE [--step KIB] [--most KIB]
Exit status: 0 it went so, or it was skipped with a reason; 1 it did not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from network import CoreGone, Network, OperationCancelled, Problem, Shell, running_network

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
from own_network import NoNamespace, rerun_inside  # noqa: E402 (the path comes first)

_SIZE = 32 * 1024  # KiB of the small file system
_WORDED = ("store.full", "store.unwritable")


class Unexpected(Exception):
    """It went another way; the words say which."""


class Round:
    """One folder on one small disk."""

    def __init__(self, network: Network, disk: Path, free: int) -> None:
        self._network = network
        self._data = disk / f"data-{free}"
        self._filler = disk / "filler"
        self._free = free
        self._title = f"{free} KiB left"
        self._is_signed_in = False
        self._is_published = False
        self.problem = "none"

    def run(self) -> None:
        """Fails once at some write, then goes on with room."""
        self._fill()
        self._try()
        self._filler.unlink()
        # With room again; a core that ended, or that was never reached, is started anew.
        shell = self._network.shell(self._data)
        try:
            did = self._go_on(shell)
        finally:
            shell.core.close()
        up = self._network.galleries(did).count(self._title)
        if up != 1:
            raise Unexpected(f"{self._title}: the gallery is up {up} times")

    def _go_on(self, shell: Shell) -> str:
        """What is left to do until the gallery is up; returns whose it is."""
        accounts = shell.open()
        if accounts["phase"] == "restoring":
            raise Unexpected(f"{self._title}: the store does not open again")
        if self._is_signed_in and not accounts["account"]:
            raise Unexpected(f"{self._title}: the account is lost")
        if not accounts["account"]:
            shell.sign_in("alice.test")
        if not self._is_published:
            self._finish(shell)
        return str(shell.core.get("accounts")["active"])

    def _fill(self) -> None:
        """Leaves so much free."""
        with self._filler.open("wb") as filler:
            filler.write(bytes(max(0, self._room() - self._free) * 1024))

    def _room(self) -> int:
        words = ["df", "-k", "--output=avail", str(self._filler.parent)]
        return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[1])

    def _try(self) -> None:
        shell = self._network.shell(self._data)
        try:
            shell.open()
            shell.sign_in("alice.test")
            self._is_signed_in = True
            shell.publish(self._title)
            self._is_published = True
        except Problem as problem:
            self.problem = problem.kind
            if problem.kind not in _WORDED:
                raise Unexpected(f"{self._title}: {problem.kind}: {problem.words}") from problem
        except (CoreGone, OperationCancelled, TimeoutError) as failure:
            raise Unexpected(f"{self._title}: {failure}") from failure
        finally:
            shell.core.close()

    def _finish(self, shell: Shell) -> None:
        """Publishes the draft that was begun, or another where there is none."""
        for draft, facts in shell.core.get("drafts")["draft"].items():
            if not facts["resumable"]:
                shell.core.call("gallery.discardDraft", draft=draft)
            elif gallery := shell.watch(draft):
                # It goes on by itself; until then it looks like any other.
                gallery.wait(lambda state: state["phase"] in ("published", "failed"), 60)
                if gallery.state["phase"] == "failed":
                    shell.core.finish(shell.core.call("gallery.retry", draft=draft), timeout=60)
        if self._title not in self._network.galleries(shell.core.get("accounts")["active"]):
            shell.publish(self._title)


def inside(core: str, step: int, most: int) -> int:
    """The rounds, in a mount namespace of our own."""
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        disk = Path(folder, "disk")
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}k", "none", str(disk)]
        subprocess.run(mount, check=True)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        try:
            with running_network(core, Path(folder)) as network:
                for free in range(0, most + 1, step):
                    turn = Round(network, disk, free)
                    turn.run()
                    seen[turn.problem] += 1
        except (Unexpected, Problem, CoreGone, TimeoutError) as failure:
            print(f"full: {failure}", file=sys.stderr)
            return 1
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(seen.items()))
    print(f"full: {seen.total()} disks, from 0 to {most} KiB free: {kinds}; everything went on with room")
    return 0


def main(arguments: list[str]) -> int:
    """Runs the drill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--step", type=int, default=4, help="KiB more in each round (4)")
    parser.add_argument("--most", type=int, default=280, help="KiB free in the last round (280)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        return inside(options.core, options.step, options.most)
    try:
        sizes = ["--step", str(options.step), "--most", str(options.most)]
        return rerun_inside([__file__, "--inside", options.core, *sizes])
    except NoNamespace as reason:
        print(f"full: skipped: {reason}")
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
