#!/usr/bin/env python3
"""Verifies DPoP proofs (RFC 9449) with a JOSE library that shares no code with the core.

Reads JSON lines, one proof each: ``{"proof", "method", "url", "nonce"?, "accessTokenHash"?}``.
The nonce is the one the server wanted; where it is absent, any will do. The hash is that of the
access token the request carried, base64url(SHA-256); it is absent where the request carried none,
and then the proof must not bind one.

Usage: verify_proofs.py [--at SECONDS --within SECONDS] FILE...      ("-" reads standard input)
Exit status: 0 all verified, 1 a proof was refused or there was none, 2 a file could not be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

import strict_json

_RECORD = {"proof": str, "method": str, "url": str, "nonce": str, "accessTokenHash": str}
_PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "k"}


class Refused(Exception):
    """The proof is not one a server may accept; the words say why."""


class Verifier:
    """Verifies proofs one after another; a ``jti`` is good once."""

    def __init__(self, at: int | None = None, within: int = 300) -> None:
        """Checks ``iat`` against `at` (seconds since 1970) give or take `within`; not if None."""
        self._at = at
        self._within = within
        self._used: set[str] = set()

    def verify(self, record: dict[str, Any]) -> None:
        """Verifies one recorded proof.

        Raises:
            Refused: the record is malformed, or a server would refuse the proof.
        """
        for name, kind in _RECORD.items():
            if name in record and not isinstance(record[name], kind):
                _refuse(f"{name} is not text")
        for name in ("proof", "method", "url"):
            if name not in record:
                _refuse(f"the record has no {name}")
        claims = _signed_claims(record["proof"])
        self._check_claims(claims, record)

    def _check_claims(self, claims: dict[str, Any], record: dict[str, Any]) -> None:
        jti = claims.get("jti")
        if not isinstance(jti, str) or not jti:
            _refuse("jti is not text")
        elif jti in self._used:
            _refuse("jti was used before")
        self._used.add(str(jti))
        if claims.get("htm") != record["method"]:
            _refuse(f"htm is {claims.get('htm')!r}, the request was {record['method']!r}")
        if claims.get("htu") != _target(record["url"]):
            _refuse(f"htu is {claims.get('htu')!r}, the request went to {_target(record['url'])!r}")
        issued = claims.get("iat")
        if not isinstance(issued, int) or isinstance(issued, bool) or issued <= 0:
            _refuse("iat is not whole seconds since 1970")
        elif self._at is not None and abs(issued - self._at) > self._within:
            _refuse(f"iat is {issued - self._at} s off")
        nonce = claims.get("nonce")
        if nonce != record.get("nonce", nonce) or not isinstance(nonce, (str, type(None))):
            _refuse("nonce is not the one the server wanted")
        if claims.get("ath") != record.get("accessTokenHash"):
            _refuse("ath is not that of the request")


def _signed_claims(proof: str) -> dict[str, Any]:
    """The claims, once the signature fits the key the proof itself names."""
    header = _header(proof)
    if header.get("typ") != "dpop+jwt":
        _refuse("typ is not dpop+jwt")
    if header.get("alg") != "ES256":
        _refuse("alg is not ES256")
    jwk = header.get("jwk")
    if not isinstance(jwk, dict) or jwk.get("kty") != "EC" or jwk.get("crv") != "P-256":
        _refuse("jwk is not a P-256 key")
    if _PRIVATE & jwk.keys():
        _refuse("jwk holds a private key")
    try:
        signed = jws.deserialize_compact(proof, ECKey.import_key(jwk), algorithms=["ES256"])
        claims = strict_json.loads((signed.payload or b"").decode("utf-8"))
    except (JoseError, ValueError) as error:
        raise Refused(f"the signature or the payload is no good: {error}") from error
    if not isinstance(claims, dict):
        _refuse("the payload is not an object")
    return claims


def _header(proof: str) -> Any:
    try:
        header = jws.extract_compact(proof.encode("ascii")).headers()
    except (JoseError, ValueError) as error:
        raise Refused(f"is not a compact JWS: {error}") from error
    return header


def _target(url: str) -> str:
    """RFC 9449 §4.2: the request target without query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _refuse(reason: str) -> NoReturn:
    raise Refused(reason)


def refusals(lines: list[str], verifier: Verifier) -> Iterator[tuple[int, str]]:
    """Line numbers and reasons of the records that do not verify; blank lines are skipped."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = strict_json.loads(line)
            if not isinstance(record, dict):
                _refuse("is not an object")
            verifier.verify(record)
        except json.JSONDecodeError as error:
            yield number, f"is not JSON: {error}"
        except (Refused, ValueError) as error:
            yield number, str(error)


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Verifies recorded DPoP proofs.")
    parser.add_argument("--at", type=int, metavar="SECONDS", help="the time of the recording")
    parser.add_argument("--within", type=int, default=300, metavar="SECONDS")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args(arguments)
    verifier = Verifier(options.at, options.within)
    count = refused = 0
    try:
        for name in options.files:
            text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
            lines = text.split("\n")
            count += sum(1 for line in lines if line.strip())
            for number, reason in refusals(lines, verifier):
                refused += 1
                print(f"{name}:{number}: {reason}")
    except (OSError, ValueError) as error:
        print(f"verify_proofs: {error}", file=sys.stderr)
        return 2
    print(f"{count - refused} of {count} proofs verified")
    return 0 if count and not refused else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
