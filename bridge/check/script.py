"""Judges a hand-written script: its expectations are partial (bridge-protocol §13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import rules
from bundle import Bundle, Refusal

_MATCHING_OBJECTS = ("$contains", "$exact", "$use")


class Script:
    """What can be said about a script without running it: names, and types of what it mentions."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._requests: dict[Any, str] = {}
        self._params: dict[str, Any] = {}
        self._effect: str | None = None

    def sent(self, message: dict[str, Any]) -> Iterator[Refusal]:
        """A message the script sends; it may be wrong on purpose, so it is judged by the answer."""
        if "method" in message and "id" in message:
            self._requests[str(message["id"])] = str(message["method"])
            self._params[str(message["id"])] = message.get("params") or {}
        return iter(())

    def performed(self, message: dict[str, Any]) -> Iterator[Refusal]:
        """The script's answer to the effect it expected last."""
        if self._effect is not None and "result" in message:
            schema = self._bundle.manifest["effects"][self._effect]["schema"] + "#/$defs/result"
            yield from self._check(schema, message["result"], "/result", is_partial=False)

    def received(self, message: dict[str, Any]) -> Iterator[Refusal]:
        """A message the script expects, in part."""
        method = message.get("method")
        if method is None:
            yield from self._expected_answer(message)
            return
        if method.startswith("$$"):
            method = method[1:]  # in an expectation `$$` is a literal `$`
        table = self._bundle.manifest["methods"]["coreToShell"]
        entry = {**table["requests"], **table["notifications"]}.get(method)
        if entry is None:
            yield Refusal("/method", f"the core sends no {method}")
            return
        params = message.get("params", {})
        if method == "effects/perform":
            effect = params.get("effect")
            self._effect = effect if effect in self._bundle.manifest["effects"] else None
        yield from self._check(entry["params"], params, "/params")

    def _expected_answer(self, message: dict[str, Any]) -> Iterator[Refusal]:
        method = self._requests.get(str(message.get("id")))
        if "error" in message:
            yield from self._check("v1/protocol/error.json", message["error"], "/error")
        elif method in self._bundle.manifest["intents"]:
            file = self._bundle.manifest["intents"][method]["schema"]
            yield from self._check(f"{file}#/$defs/result", message.get("result", {}), "/result")
            yield from self._accepted(message, f"{file}#/$defs/params")
        else:
            entry = self._bundle.manifest["methods"]["shellToCore"]["requests"].get(method)
            if entry is not None:
                yield from self._check(entry["result"], message.get("result", {}), "/result")
                yield from self._accepted(message, entry["params"])

    def _accepted(self, message: dict[str, Any], schema: str) -> Iterator[Refusal]:
        """The params of a request that is expected to succeed."""
        params = self._params.get(str(message.get("id")), {})
        if not _is_matcher(params):
            yield from self._check(schema, params, "/params", is_partial=False)

    def _check(
        self, schema: str, value: Any, at: str, is_partial: bool = True
    ) -> Iterator[Refusal]:
        # Half an object fits no branch of a oneOf, and lacks what is required.
        passed = ("required", "oneOf", "rule") if is_partial else ("rule",)
        for refusal in rules.refusals(self._bundle, schema, value):
            if refusal.keyword not in passed and not _is_matcher(refusal.instance):
                yield refusal.below(at)


def _is_matcher(value: Any) -> bool:
    if isinstance(value, str):
        return value.startswith("$")
    if isinstance(value, dict):
        return any(name in value for name in _MATCHING_OBJECTS)
    return False
