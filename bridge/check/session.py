"""Follows one recorded session and judges every message in it, in both directions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import rules
from bundle import Bundle, Refusal

Message = dict[str, Any]


@dataclass
class Subscription:
    """One delivery of one model instance."""

    schema: str
    delivery: str
    revision: int | None = None
    state: Any = None


@dataclass
class Request:
    """A request of the shell that is not answered yet."""

    method: str
    params: dict[str, Any]
    refusals: list[Refusal]


@dataclass
class Session:
    """What is known after the messages seen so far.

    The shell may send what is wrong (tests do); then the core must refuse it. The core may not.
    """

    bundle: Bundle
    initialized: bool = False
    effects: set[str] = field(default_factory=set)
    requests: dict[Any, Request] = field(default_factory=dict)
    intents: list[Any] = field(default_factory=list)
    answered: set[Any] = field(default_factory=set)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    performing: dict[Any, str] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    progress: dict[str, int] = field(default_factory=dict)

    def sent(self, message: Message) -> Iterator[Refusal]:
        """A message from the shell to the core."""
        if message.get("params", {}) is None:
            message = {**message, "params": {}}  # null and left out are the same (§2)
        method = message.get("method")
        if method is None:
            yield from self.performed(message)
        elif "id" not in message:
            table = self.bundle.manifest["methods"]["shellToCore"]["notifications"]
            if method in table:
                yield from self._params(table[method]["params"], message)
        else:
            self._requested(message, str(method))

    def performed(self, message: Message) -> Iterator[Refusal]:
        """The shell's answer to an effect."""
        name = self.performing.pop(_key(message.get("id")), None)
        if name is None:
            yield Refusal("/id", "answers no open effect")
        elif "error" in message:
            yield from _below("/error", self._check("v1/protocol/error.json", message["error"]))
        else:
            schema = self.bundle.manifest["effects"][name]["schema"] + "#/$defs/result"
            yield from _below("/result", self._check(schema, message.get("result")))

    def received(self, message: Message) -> Iterator[Refusal]:
        """A message from the core to the shell."""
        yield from rules.canaries(message)
        method = message.get("method")
        if method is None:
            yield from self._answered(message)
            return
        table = self.bundle.manifest["methods"]["coreToShell"]
        entry = table["requests" if "id" in message else "notifications"].get(method)
        if entry is None:
            yield Refusal("/method", f"the core sends no {method}")
            return
        found = list(self._params(entry["params"], message))
        yield from found
        if found:
            return
        params = message.get("params", {})
        if method == "models/snapshot":
            yield from _below("/params", self._snapshot(params))
        elif method == "models/closed":
            yield from _below("/params", self._closed(params))
        elif method == "effects/perform":
            yield from self._perform(message["id"], params)
        elif method == "operations/ended":
            if params["operation"] in self.ended:
                yield Refusal("/params/operation", "has ended before")
            self.ended.add(params["operation"])
        elif method == "$/progress":
            yield from _below("/params", self._progress(params))

    # MARK: Requests and their answers

    def _requested(self, message: Message, method: str) -> None:
        key = _key(message["id"])
        if key in self.requests:
            return  # the core refuses the second one with id null
        table = self.bundle.manifest["methods"]["shellToCore"]["requests"]
        if method in table:
            refusals = list(self._params(table[method]["params"], message))
        elif method in self.bundle.manifest["intents"]:
            schema = self.bundle.manifest["intents"][method]["schema"] + "#/$defs/params"
            refusals = list(self._params(schema, message))
            self.intents.append(key)
        elif method.startswith("$/test/"):
            refusals = []  # the test profile's own; no part of the contract with shells
        else:
            refusals = [Refusal("/method", "there is no such method")]
        # What comes right behind initialize may rely on it: the core takes one after the other.
        asked = any(request.method == "initialize" for request in self.requests.values())
        if not (self.initialized or asked) and method not in ("ping", "initialize"):
            refusals.append(Refusal("/method", "initialize comes first"))
        params = message.get("params")
        self.requests[key] = Request(method, params if isinstance(params, dict) else {}, refusals)

    def _answered(self, message: Message) -> Iterator[Refusal]:
        shape = "errorResponse" if "error" in message else "response"
        yield from self._check(f"v1/protocol/envelope.json#/$defs/{shape}", _whole(message))
        if "error" in message:
            yield from _below("/error", self._check("v1/protocol/error.json", message["error"]))
        if message.get("id") is None:
            return
        key = _key(message["id"])
        request = self.requests.pop(key, None)
        if request is None:
            yield Refusal("/id", "answers no open request")
            return
        self.answered.add(key)
        yield from self._verdict_order(key, message)
        if "error" not in message:
            for refusal in request.refusals:
                yield Refusal(
                    "/result", f"accepted in spite of params{refusal.at}: {refusal.reason}"
                )
            yield from self._result(request, message.get("result"))

    def _verdict_order(self, key: Any, message: Message) -> Iterator[Refusal]:
        """O2: verdicts in the order of the intents, overload excepted."""
        if key not in self.intents:
            return
        overloaded = message.get("error", {}).get("code") == -32005
        if self.intents[0] != key and not overloaded:
            yield Refusal("/id", "the verdict on an earlier intent is still missing (O2)")
        self.intents.remove(key)

    def _result(self, request: Request, result: Any) -> Iterator[Refusal]:
        intent = self.bundle.manifest["intents"].get(request.method)
        method = self.bundle.manifest["methods"]["shellToCore"]["requests"].get(request.method)
        if intent is not None:
            schema = intent["schema"] + "#/$defs/result"
        elif method is not None:
            schema = method["result"]
        else:
            return
        found = list(self._check(schema, result))
        yield from _below("/result", iter(found))
        if found:
            return
        params = request.params
        if request.method == "initialize":
            self.initialized = True
            self.effects = set(params.get("capabilities", {}).get("effects", {}))
        elif request.method == "models/subscribe":
            delivery = params.get("delivery", "full")
            self.subscriptions[params["subscription"]] = Subscription(result["schema"], delivery)
        elif request.method == "models/unsubscribe":
            self.subscriptions.pop(params.get("subscription", ""), None)
        elif request.method == "models/resync":
            # The next snapshot is a full one, of whatever revision.
            if held := self.subscriptions.get(params.get("subscription", "")):
                held.revision = None

    # MARK: What the core sends on its own

    def _snapshot(self, params: dict[str, Any]) -> Iterator[Refusal]:
        subscription = self.subscriptions.get(params["subscription"])
        if subscription is None:
            yield Refusal("/subscription", "is not open (O3)")
            return
        for index, cause in enumerate(params["causedBy"]):
            if _key(cause) not in self.answered:
                yield Refusal(f"/causedBy/{index}", "has no verdict yet (O4)")
        if params["schema"] != subscription.schema:
            yield Refusal("/schema", f"{subscription.schema} was agreed")
        if subscription.revision is not None and params["revision"] <= subscription.revision:
            yield Refusal("/revision", "revisions rise (O6)")
        if "state" in params:
            subscription.state = params["state"]
        elif subscription.delivery != "merge":
            yield Refusal("/merge", "this subscription asked for full snapshots")
        elif params["base"] != subscription.revision:
            yield Refusal("/base", f"the revision last delivered is {subscription.revision}")
        else:
            subscription.state = merged(subscription.state, params["merge"])
            for refusal in self._check(subscription.schema, subscription.state):
                yield Refusal(f"/merge{refusal.at}", f"after the merge: {refusal.reason}")
        if params.get("digest", digest := state_digest(subscription.state)) != digest:
            yield Refusal("/digest", "the applied state has another digest")
        subscription.revision = params["revision"]

    def _closed(self, params: dict[str, Any]) -> Iterator[Refusal]:
        if self.subscriptions.pop(params["subscription"], None) is None:
            yield Refusal("/subscription", "is not open")

    def _perform(self, identifier: Any, params: dict[str, Any]) -> Iterator[Refusal]:
        if params["effect"] not in self.effects:
            yield Refusal("/params/effect", "the shell did not declare it")
        key = _key(identifier)
        if key in self.performing:
            yield Refusal("/id", "is the id of an open effect")
        self.performing[key] = params["effect"]

    def _progress(self, params: dict[str, Any]) -> Iterator[Refusal]:
        token, done = params["token"], params["value"]["done"]
        if token in self.ended:
            yield Refusal("/token", "the operation has ended")
        if done < self.progress.get(token, 0):
            yield Refusal("/value/done", "done never falls")
        self.progress[token] = done

    # MARK: One value by one schema

    def _params(self, schema: str, message: Message) -> Iterator[Refusal]:
        shape = "request" if "id" in message else "notification"
        yield from self._check(f"v1/protocol/envelope.json#/$defs/{shape}", _whole(message))
        yield from _below("/params", self._check(schema, message.get("params", {})))

    def _check(self, schema: str, value: Any) -> Iterator[Refusal]:
        return (r for r in rules.refusals(self.bundle, schema, value) if not _is_redacted(r))


def merged(target: Any, patch: Any) -> Any:
    """The state after an RFC 7396 merge patch; nothing of `target` is changed."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def state_digest(state: Any) -> str:
    """SHA-256 of the state as the core writes it, members sorted by the bytes of their names."""
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    escaped = re.sub("[\x7f-\x9f\u2028\u2029]", lambda m: f"\\u{ord(m.group()):04x}", text)
    return hashlib.sha256(escaped.encode("utf-8")).hexdigest()


def _below(prefix: str, refusals: Iterator[Refusal]) -> Iterator[Refusal]:
    return (refusal.below(prefix) for refusal in refusals)


def _whole(message: Message) -> Message:
    """Recordings leave JSON-RPC's version out."""
    return {"jsonrpc": "2.0", **message}


def _key(identifier: Any) -> Any:
    """1 and "1" are two ids, and true is not 1."""
    return (type(identifier).__name__, identifier)


def _is_redacted(refusal: Refusal) -> bool:
    """A recorder replaces secrets and private paths; a placeholder fits any pattern."""
    text = refusal.instance
    return isinstance(text, str) and text.startswith(("$secret:", "$private:"))
