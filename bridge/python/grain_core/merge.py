"""JSON Merge Patch (RFC 7396), exact here because states hold no null."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any


def merge_patch(target: Any, patch: Any) -> Any:
    """`target` after `patch`; neither is changed, and parts of both may be shared by the result."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def state_digest(state: Any) -> str:
    """SHA-256 of a state's canonical text, in hexadecimal: what the test profile sends along.

    Members are sorted by the bytes of their names; the text is escaped as the core escapes it.
    """
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    escaped = _ESCAPED.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return hashlib.sha256(escaped.encode("utf-8")).hexdigest()


# What `json` leaves as it is and the core escapes (bridge-protocol §1).
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029]")
