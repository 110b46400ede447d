"""What a message or a state is held against (bridge-protocol §13).

Objects by subset, arrays and scalars exactly, texts that begin with ``$`` as matchers, but for the
names of methods (``$/…``).
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Mapping

MISSING = object()


def _full(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


_MATCHERS: dict[str, Callable[[Any], bool]] = {
    "$any": lambda value: value is not MISSING,
    "$absent": lambda value: value is MISSING,
    "$string": lambda value: isinstance(value, str),
    "$int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "$bool": lambda value: isinstance(value, bool),
    "$uri": _full(r"[a-z][a-z0-9+.\-]*:\S+"),
    "$did": _full(r"did:[a-z]+:[A-Za-z0-9._:%\-]+"),
    "$time": _full(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
}


def mismatch(
    pattern: Any, value: Any, values: Mapping[str, Any], exact: bool = False, at: str = ""
) -> str | None:
    """The first difference in words; `values` is what ``$var:`` names stand for."""
    inner: list[tuple[Any, Any, str]] = []
    if isinstance(pattern, str) and re.match(r"\$[^/]", pattern):
        is_right = _matches(pattern, value, values)
    elif isinstance(pattern, dict) and "$exact" in pattern:
        return mismatch(pattern["$exact"], value, values, True, at)
    elif isinstance(pattern, dict) and "$contains" in pattern:
        is_right = isinstance(value, list) and all(
            any(mismatch(one, found, values) is None for found in value)
            for one in pattern["$contains"]
        )
    elif isinstance(pattern, dict) and isinstance(value, dict):
        inner = [(one, value.get(name, MISSING), name) for name, one in pattern.items()]
        is_right = not exact or set(value) <= set(pattern)
    elif isinstance(pattern, list) and isinstance(value, list):
        inner = [(*pair, str(index)) for index, pair in enumerate(zip(pattern, value))]
        is_right = len(pattern) == len(value)
    else:
        is_right = _text(pattern) == _text(value)
    if not is_right:
        return f"{at or '(all of it)'}: expected {_text(pattern)}, came {_text(value)}"
    found = (mismatch(one, member, values, exact, f"{at}/{name}") for one, member, name in inner)
    return next((difference for difference in found if difference is not None), None)


def _matches(pattern: str, value: Any, values: Mapping[str, Any]) -> bool:
    if pattern.startswith("$$"):
        return bool(value == pattern[1:])
    if pattern in _MATCHERS:
        return _MATCHERS[pattern](value)
    kind, _, rest = pattern.partition(":")
    if kind == "$re":
        return isinstance(value, str) and re.search(rest, value) is not None
    if kind == "$gte":
        return isinstance(value, (int, float)) and value >= float(rest)
    if kind == "$var":
        return rest in values and _text(value) == _text(values[rest])
    if kind in ("$secret", "$private"):  # not compared
        return isinstance(value, str) and value != ""
    raise ValueError(f"{pattern} is no matcher")


def _text(value: Any) -> str:
    """JSON text: tells true from 1, as `==` does not."""
    return "nothing" if value is MISSING else json.dumps(value, ensure_ascii=False, sort_keys=True)
