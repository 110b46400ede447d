#!/usr/bin/env python3
"""Signs in to the sandbox with an OAuth client that shares no code with the core (atproto-oauth).

The client does the whole of it by its own rules: identity, discovery, pushed request, proofs with
nonces, code exchange, a call, a refresh, revocation. If the sandbox were wrong about the protocol in
the same way as the core, this would fail.

Usage: outside_sign_in.py CORE        CORE is the grain-core program
Exit status: 0 all of it went as the protocol has it, 1 it did not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import urlopen

import atproto_oauth.client
import atproto_oauth.metadata
import httpx
from atproto_identity.resolver import AsyncIdResolver
from atproto_oauth import OAuthClient
from atproto_oauth.models import OAuthSession
from atproto_oauth.security import validate_authserver_metadata
from atproto_oauth.stores.memory import MemorySessionStore, MemoryStateStore

sys.path.insert(0, str(Path(__file__).parent.parent / "python" / "examples"))
from page_walker import PageWalker  # noqa: E402

_HANDLE = "alice.test"
_PASSWORD = "sandbox"
_SCOPE = "atproto blob:image/* repo:social.grain.photo"


class Wrong(Exception):
    """The sandbox did not do what the protocol asks; the words say what."""


def main(arguments: list[str]) -> int:
    """Runs the sign-in and says how it went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    options = parser.parse_args(arguments)
    with _sandbox(options.core) as configuration, _loopback() as redirect:
        _allow_loopback()
        try:
            asyncio.run(_story(configuration, redirect))
        except Wrong as reason:
            print(f"outside client: {reason}", file=sys.stderr)
            return 1
    print("outside client: signed in, called, refreshed and revoked")
    return 0


async def _story(configuration: dict[str, Any], redirect: str) -> None:
    scope = quote(_SCOPE, safe="")
    client_id = f"http://localhost?redirect_uri={quote(redirect, safe='')}&scope={scope}"
    client = OAuthClient(
        client_id, redirect, _SCOPE, MemoryStateStore(), MemorySessionStore()
    )
    # The directory is the sandbox's; everything the client asks it and concludes is its own.
    client._id_resolver = AsyncIdResolver(plc_url=configuration["plcDirectory"])
    did = _resolved(configuration["handleResolver"])
    page, state = await client.start_authorization(did)
    walker = PageWalker(_HANDLE, _PASSWORD)
    callback = await asyncio.to_thread(walker.walk, page, lambda url: url.startswith(redirect))
    fields = {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}
    _expect(fields.get("state") == state, "the state did not come back")
    session = await client.handle_callback(fields["code"], fields["state"], fields["iss"])
    _expect(session.did == did, f"the session is {session.did}'s, not {did}'s")
    _expect(await _status(client, session) == 200, "the first call was refused")

    first = session.access_token
    session = await client.refresh_session(session)
    _expect(session.access_token != first, "the refresh brought no new token")
    _expect(await _status(client, session) == 200, "the call after the refresh was refused")
    last, session.access_token = session.access_token, first
    _expect(await _status(client, session) == 401, "the old token is still good")

    session.access_token = last
    await client.revoke_session(session)
    _expect(await _status(client, session) == 401, "the token outlived its revocation")


async def _status(client: OAuthClient, session: OAuthSession) -> int:
    url = f"{session.pds_url}/xrpc/com.atproto.server.getSession"
    response = await client.make_authenticated_request(session, "GET", url)
    return response.status_code


def _resolved(resolver: str) -> str:
    """The DID of the handle, from the one resolver that knows names like these."""
    url = f"{resolver}/xrpc/com.atproto.identity.resolveHandle?handle={_HANDLE}"
    with urlopen(url, timeout=10) as response:
        return str(json.load(response)["did"])


def _expect(is_right: bool, otherwise: str) -> None:
    if not is_right:
        _fail(otherwise)


def _fail(words: str) -> NoReturn:
    raise Wrong(words)


@contextmanager
def _sandbox(core: str) -> Iterator[dict[str, Any]]:
    """A sandbox of our own, and where its servers are."""
    process = subprocess.Popen([core, "sandbox", "--json"], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield json.loads(line)["configuration"]
    finally:
        process.terminate()
        process.wait(timeout=10)


@contextmanager
def _loopback() -> Iterator[str]:
    """Somebody listening at a redirect address, as a native client would."""
    server = HTTPServer(("127.0.0.1", 0), _Thanks)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/callback"
    finally:
        server.shutdown()
        server.server_close()


class _Thanks(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answers the browser."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"You can close this page.")

    def log_message(self, *_: object) -> None:
        """Keeps quiet."""


def _allow_loopback() -> None:
    """Lifts the client's three rules against plain http and private addresses, and nothing else."""
    public = "https://pds.sandbox-host.dev"

    def renamed(value: Any, origin: str) -> Any:
        return json.loads(json.dumps(value).replace(origin, public))

    def validate(metadata: dict[str, Any], url: str) -> None:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        validate_authserver_metadata(renamed(metadata, origin), renamed(url, origin))

    def is_safe(_: str) -> bool:
        return True

    def plain_client(**options: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(**options)

    for module in (atproto_oauth.client, atproto_oauth.metadata):
        module.is_safe_url = is_safe  # type: ignore[attr-defined]
        module.get_hardened_async_client = plain_client  # type: ignore[attr-defined]
    atproto_oauth.metadata.validate_authserver_metadata = validate


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
