"""JSON read the way the bridge reads it: no duplicate members, no NaN, no infinities."""

from __future__ import annotations

import json
from typing import Any


def loads(text: str) -> Any:
    """Reads one JSON text.

    Raises:
        ValueError: the text is not JSON, or has what bridge-protocol §1 forbids.
    """
    return json.loads(text, object_pairs_hook=_members, parse_constant=_refuse)


def pointer(path: list[str | int]) -> str:
    """The JSON Pointer (RFC 6901) to a place; the whole document is the empty text."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a member twice")
    return members


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
