"""What the protocol demands of a single value and no JSON Schema of the grain profile can say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

from bundle import Bundle, Refusal

CANARY = "GRAINCANARY"


def refusals(bundle: Bundle, schema: str, value: Any) -> list[Refusal]:
    """Everything said against a value: its schema first, then the rules beyond it."""
    found = bundle.refusals(schema, value)
    found += _problems(bundle, value, "")
    if schema.startswith("v1/models/"):
        found += _collections(bundle, value, "")
    rule = _RULES.get(schema)
    if rule is not None and isinstance(value, dict):
        found += rule(bundle, value)
    return found


def canaries(value: Any, at: str = "") -> Iterator[Refusal]:
    """Places that hold a secret of the sandbox (bridge-protocol §10)."""
    for place, text in _strings(value, at):
        if CANARY in text:
            yield Refusal(place, "holds a secret of the sandbox")


def nulls(value: Any, at: str = "") -> Iterator[Refusal]:
    """Places that hold null; a state document has none."""
    if value is None:
        yield Refusal(at, "a state holds no null")
    for key, item in _items(value):
        yield from nulls(item, f"{at}/{key}")


def _snapshot(bundle: Bundle, params: dict[str, Any]) -> list[Refusal]:
    has_state, has_merge = "state" in params, "merge" in params
    if has_state == has_merge or has_merge != ("base" in params):
        return [Refusal("", "has exactly one of state, or base and merge")]
    if not has_state:
        return []
    return _nested(bundle, params.get("schema"), params["state"], "/state")


def _get_result(bundle: Bundle, result: dict[str, Any]) -> list[Refusal]:
    if "state" not in result:
        return []
    return _nested(bundle, result.get("schema"), result["state"], "/state")


def _ended(bundle: Bundle, params: dict[str, Any]) -> list[Refusal]:
    failed = params.get("outcome") == "failed"
    if failed and "problem" not in params:
        return [Refusal("", "failed says its problem")]
    if not failed and "problem" in params:
        return [Refusal("/problem", "only failed has a problem")]
    return []


def _perform(bundle: Bundle, params: dict[str, Any]) -> list[Refusal]:
    effect = bundle.manifest["effects"].get(params.get("effect"))
    if effect is None:
        return [Refusal("/effect", "the manifest lists no such effect")]
    if "args" not in params:
        return []
    return _nested(bundle, effect["schema"] + "#/$defs/args", params["args"], "/args")


def _error(bundle: Bundle, error: dict[str, Any]) -> list[Refusal]:
    data = error.get("data")
    entry = bundle.errors.get(data.get("kind", "")) if isinstance(data, dict) else None
    if entry is not None and error.get("code") != entry["code"]:
        return [Refusal("/code", f"the code of {entry['kind']} is {entry['code']}")]
    return []


_RULES: dict[str, Callable[[Bundle, dict[str, Any]], list[Refusal]]] = {
    "v1/protocol/snapshot.json": _snapshot,
    "v1/protocol/get.result.json": _get_result,
    "v1/protocol/ended.json": _ended,
    "v1/protocol/perform.params.json": _perform,
    "v1/protocol/error.json": _error,
}


def _nested(bundle: Bundle, schema: Any, value: Any, at: str) -> list[Refusal]:
    if not isinstance(schema, str) or not bundle.has(schema):
        return [Refusal("/schema", "there is no such schema")]
    return [refusal.below(at) for refusal in refusals(bundle, schema, value)]


def _problems(bundle: Bundle, value: Any, at: str) -> Iterator[Refusal]:
    """Problems and error data agree with the registry."""
    if isinstance(value, dict) and {"kind", "retryable", "message"} <= value.keys():
        entry = bundle.errors.get(value["kind"])
        if entry is None:
            yield Refusal(f"{at}/kind", "errors.json has no such kind")
        else:
            if value.get("code", entry["code"]) != entry["code"]:
                yield Refusal(f"{at}/code", f"the code of {entry['kind']} is {entry['code']}")
            if value["retryable"] is not entry["retryable"]:
                yield Refusal(f"{at}/retryable", f"{entry['kind']} is registered otherwise")
    for key, item in _items(value):
        yield from _problems(bundle, item, f"{at}/{key}")


def _collections(bundle: Bundle, value: Any, at: str) -> Iterator[Refusal]:
    """A keyed map and its order name the same keys, each once."""
    if isinstance(value, dict):
        for name, order in bundle.collections.items():
            values, keys = value.get(name), value.get(order)
            if isinstance(values, dict) and keys is None:
                yield Refusal(f"{at}/{name}", f"{order} is missing")
            elif isinstance(keys, list) and sorted(map(str, keys)) != sorted(values or {}):
                yield Refusal(f"{at}/{order}", f"names other keys than {name}")
    for key, item in _items(value):
        yield from _collections(bundle, item, f"{at}/{key}")


def _strings(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    for key, item in _items(value):
        yield at, str(key)
        yield from _strings(item, f"{at}/{key}")


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
