"""A network namespace of one's own, in which nothing exists but loopback.

Servers can stand there under any name and any address, at any port, without root on the machine and
without a packet leaving it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Public by its number (AS112, RFC 7535: a sink for stray questions), so that rules against private
# addresses let it pass. It is given to the namespace's loopback interface and never leaves it.
_OWN_ADDRESS = "192.31.196.1"

_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class NoNamespace(Exception):
    """This machine does not allow it; the words say why."""


def rerun_inside(words: list[str]) -> int:
    """Runs a Python program in a namespace of its own and returns its exit status.

    Raises:
        NoNamespace: programs or rights are missing.
    """
    unshare, ip = shutil.which("unshare", path=_PATH), shutil.which("ip", path=_PATH)
    if unshare is None or ip is None:
        raise NoNamespace("unshare or ip is not on this machine")
    enter = [unshare, "--map-root-user", "--mount", "--net"]
    trial = subprocess.run(
        [*enter, "sh", "-c", f"'{ip}' link set lo up && mount -t tmpfs none /mnt"],
        capture_output=True,
        text=True,
    )
    if trial.returncode != 0:
        words_of_system = trial.stderr.strip() or f"status {trial.returncode}"
        raise NoNamespace(f"no namespace of one's own here (unshare -rmn): {words_of_system}")
    return subprocess.run([*enter, sys.executable, *words]).returncode


@contextmanager
def real_looking_sandbox(core: str, domain: str) -> Iterator[dict[str, Any]]:
    """A sandbox that looks like the real world, for a program started by `rerun_inside`.

    It answers over https at port 443 of a public address, and this namespace's hosts file leads the
    names below `domain` to it. Gives what `grain-core sandbox --json` prints: the configuration, and
    `authorityFile`, which nobody trusts yet.
    """
    _settle_in()
    with tempfile.TemporaryDirectory() as folder:
        words = [core, "sandbox", "--json", "--tls", "--port", "443", "--domain", domain]
        words += ["--address", _OWN_ADDRESS, "--ca", f"{folder}/ca.pem"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline() if process.stdout else ""
            network = json.loads(line)
            _replace("/etc/hosts", f"127.0.0.1 localhost\n{network['hostsFile']}\n", folder)
            _replace("/etc/resolv.conf", "", folder)  # there is no name server to wait for
            yield network
        finally:
            process.terminate()
            process.wait(timeout=10)


def _settle_in() -> None:
    """Brings loopback up and gives it the address."""
    links = subprocess.run(
        [_ip(), "-oneline", "link"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    if len(links) != 1:
        raise SystemExit("this is not a network namespace of its own; nothing was changed")
    subprocess.run([_ip(), "link", "set", "lo", "up"], check=True)
    subprocess.run([_ip(), "address", "add", f"{_OWN_ADDRESS}/32", "dev", "lo"], check=True)


def _replace(place: str, text: str, folder: str) -> None:
    file = Path(folder, Path(place).name)
    file.write_text(text, encoding="ascii")
    mount_over(str(file), place)


def mount_over(file: str, place: str) -> None:
    """Lets every program of this namespace find `file` at `place`."""
    subprocess.run(["mount", "--bind", file, place], check=True)


def _ip() -> str:
    return shutil.which("ip", path=_PATH) or "ip"
