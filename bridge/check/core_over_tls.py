#!/usr/bin/env python3
"""Lets the built core sign in and publish over TLS with the switches of production.

The core's configuration names the servers and lifts nothing: no plain http, no loopback or private
addresses, no map of hosts, no trust anchors of its own. It meets the sandbox as it would meet the real
world: names from the system's resolver, a public address, port 443, a certificate that leads to the
system's trust store. That is possible in a network namespace of its own, where a hosts file and a trust
store are mounted over the system's. Before the authority is in the trust store, the same sign-in must
fail.

Usage: core_over_tls.py CORE        CORE is the grain-core program
Exit status: 0 it did, or it was skipped with a reason; 1 it did not.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from own_network import NoNamespace, mount_over, real_looking_sandbox, rerun_inside

_ROOT = Path(__file__).parent.parent / "python"
sys.path[:0] = [str(_ROOT), str(_ROOT / "examples")]
from grain_core import Client, Problem  # noqa: E402
from publish import Publisher  # noqa: E402

_DOMAIN = "example.com"
_HANDLE = f"alice.{_DOMAIN}"
_TRUST_STORE = "/etc/ssl/certs/ca-certificates.crt"
# What a configuration says by saying nothing; anything else would lift a rule.
_SWITCHES = ("allowInsecureLoopback", "hosts", "loopbackClient", "trustAnchors")

# A small photograph, in base64.
PHOTO = """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4p
LSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09P
T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAgADADASIA
AhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFRABAQAAAAAAAAAAAAAAAAAAABP/xAAW
AQEBAQAAAAAAAAAAAAAAAAAABgX/xAAVEQEBAAAAAAAAAAAAAAAAAAAAFP/aAAwDAQACEQMRAD8A
1qlUVSqYlaNS2pVFUqSlS2pVFUqSlSKpVDUqo5U1UuqVQ1KkpUuqVQ1KkpU//9k=
"""


def main(arguments: list[str]) -> int:
    """Runs the story and says how it went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not options.inside:
        try:
            return rerun_inside([__file__, "--inside", options.core])
        except NoNamespace as reason:
            print(f"core over TLS: skipped: {reason}")
            return 0
    with (
        real_looking_sandbox(options.core, _DOMAIN) as network,
        tempfile.TemporaryDirectory() as folder,
    ):
        photo = Path(folder, "photo.jpg")
        photo.write_bytes(base64.b64decode(PHOTO))
        configuration = Path(folder, "config.json")
        configuration.write_text(json.dumps(_of_production(network["configuration"])))
        words = [options.core, "--stdio", "--config", str(configuration), "--data-dir", folder]
        # The core has the system's trust store only.
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("SSL_CERT")
        }
        os.environ["SSL_CERT_FILE"] = network["authorityFile"]  # the browser's
        refused = _refusal(words, environment, photo)
        if refused is None:
            print("core over TLS: it trusts an authority nobody knows", file=sys.stderr)
            return 1
        mount_over(network["authorityFile"], _TRUST_STORE)
        with Client.spawn(words, environment) as client:
            address = Publisher(client, _HANDLE, "sandbox").run([photo], "Over TLS")
    print(f"core over TLS: without trust {refused}; with it published {address}")
    return 0


def _of_production(configuration: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in configuration.items() if name not in _SWITCHES}


def _refusal(words: list[str], environment: dict[str, str], photo: Path) -> str | None:
    """The kind of problem the story ends with."""
    try:
        with Client.spawn(words, environment) as client:
            Publisher(client, _HANDLE, "sandbox").run([photo], "Nobody's")
    except Problem as problem:
        return problem.kind
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
