#!/usr/bin/env python3
"""Signs in to the sandbox with an OAuth client that shares no code with the core (atproto-oauth).

The client does the whole of it by its own rules: handle, identity, discovery, pushed request, proofs
with nonces, code exchange, a call, a refresh, revocation. If the sandbox were wrong about the protocol
in the same way as the core, this would fail.

None of its rules is lifted. It wants https with a certificate it can check, public addresses, no port,
and no name that is reserved for tests; so it runs in a network namespace of its own, where nothing but
loopback exists. There the sandbox answers at port 443 of an address that is public by its number, for
names below example.com, which a hosts file of that namespace leads to it. Two things are settings, not
rules: the directory of identities is the sandbox's (`plc_url`), and the sandbox's authority is trusted
(`SSL_CERT_FILE`). The client's id is the development form of the protocol, `http://localhost?...`.

Usage: outside_sign_in.py CORE        CORE is the grain-core program
Exit status: 0 all of it went as the protocol has it, or it was skipped with a reason; 1 it did not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qs, quote, urlsplit

import httpx
from atproto_identity.resolver import AsyncIdResolver
from atproto_oauth import OAuthClient
from atproto_oauth.models import OAuthSession
from atproto_oauth.stores.memory import MemorySessionStore, MemoryStateStore
from own_network import NoNamespace, real_looking_sandbox, rerun_inside

sys.path.insert(0, str(Path(__file__).parent.parent / "python" / "examples"))
from page_walker import PageWalker  # noqa: E402

_DOMAIN = "example.com"
_HANDLE = f"alice.{_DOMAIN}"
_PASSWORD = "sandbox"
_SCOPE = "atproto blob:image/* repo:social.grain.photo"


class Wrong(Exception):
    """The sandbox did not do what the protocol asks; the words say what."""


def main(arguments: list[str]) -> int:
    """Runs the sign-in and says how it went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not options.inside:
        try:
            return rerun_inside([__file__, "--inside", options.core])
        except NoNamespace as reason:
            print(f"outside client: skipped: {reason}")
            return 0
    with real_looking_sandbox(options.core, _DOMAIN) as network:
        os.environ["SSL_CERT_FILE"] = network["authorityFile"]
        try:
            with _loopback() as redirect:
                cost, seconds = asyncio.run(_story(network["configuration"], redirect))
        except Wrong as reason:
            print(f"outside client: {reason}", file=sys.stderr)
            return 1
    print(
        f"outside client: signed in with {cost} requests in {seconds * 1000:.0f} ms, called, "
        "refreshed and revoked, "
        "none of its rules lifted"
    )
    return 0


async def _story(configuration: dict[str, Any], redirect: str) -> tuple[int, float]:
    """The whole of it; gives back what the sign-in cost, in requests and in seconds."""
    requests = _count_requests()
    scope = quote(_SCOPE, safe="")
    client_id = f"http://localhost?redirect_uri={quote(redirect, safe='')}&scope={scope}"
    client = OAuthClient(
        client_id, redirect, _SCOPE, MemoryStateStore(), MemorySessionStore()
    )
    # The directory is the sandbox's; everything the client asks it and concludes is its own.
    client._id_resolver = AsyncIdResolver(plc_url=configuration["plcDirectory"])
    began = time.monotonic()
    page, state = await client.start_authorization(_HANDLE)
    cost = len(requests)
    walker = PageWalker(_HANDLE, _PASSWORD)
    callback = await asyncio.to_thread(walker.walk, page, lambda url: url.startswith(redirect))
    fields = {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}
    _expect(fields.get("state") == state, "the state did not come back")
    requests.clear()  # what the browser asked, if it went the same way
    session = await client.handle_callback(fields["code"], fields["state"], fields["iss"])
    cost += len(requests)
    seconds = time.monotonic() - began
    _expect(session.handle == _HANDLE, f"the session is {session.handle}'s, not {_HANDLE}'s")
    _expect(session.pds_url == f"https://pds.{_DOMAIN}", f"the server is {session.pds_url}")
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
    return cost, seconds


def _count_requests() -> list[str]:
    """Writes down every request from now on, below everything the client does with it."""
    seen: list[str] = []
    send = httpx.HTTPTransport.handle_request
    send_async = httpx.AsyncHTTPTransport.handle_async_request

    def handle(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        seen.append(f"{request.method} {request.url}")
        return send(self, request)

    async def handle_async(
        self: httpx.AsyncHTTPTransport, request: httpx.Request
    ) -> httpx.Response:
        seen.append(f"{request.method} {request.url}")
        return await send_async(self, request)

    httpx.HTTPTransport.handle_request = handle  # type: ignore[method-assign]
    httpx.AsyncHTTPTransport.handle_async_request = handle_async  # type: ignore[method-assign]
    return seen


async def _status(client: OAuthClient, session: OAuthSession) -> int:
    url = f"{session.pds_url}/xrpc/com.atproto.server.getSession"
    response = await client.make_authenticated_request(session, "GET", url)
    return response.status_code


def _expect(is_right: bool, otherwise: str) -> None:
    if not is_right:
        _fail(otherwise)


def _fail(words: str) -> NoReturn:
    raise Wrong(words)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
