#!/usr/bin/env python3
"""Sends random intents in random states, and holds the core to what its `can` lists say.

Before each intent the state it acts on is read and the intent made conditional on that revision
(`_meta.ifRevision`), so that a state that has moved on meanwhile is told from a list that lies. What `can`
lists must not be refused as unavailable; what it does not list must be refused, or join what runs
already. Every request is answered, and the core ends with status 0.

Usage: intents.py CORE [--count N] [--seconds N] [--seed N]
Exit status: 0 it held; 1 it did not, with the seed to see it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from network import (
    Client,
    CoreGone,
    Network,
    OperationCancelled,
    Problem,
    running_network,
)

_HANDLES = ["alice.test", "bob.test", "nobody.test", "alice", "", "@alice.test", "did:plc:none"]
_TEXTS = ["", "A walk", "é" * 40, "x" * 1001, "two\nlines"]
_LOGIN = [
    "login.start", "login.setHandle", "login.highlight", "login.submitHandle", "login.cancel",
    "login.createAccount", "login.dismissProblem", "login.callback",
]  # fmt: skip
_ACCOUNTS = [
    "accounts.switch", "accounts.reauthenticate", "accounts.move", "accounts.signOut",
    "accounts.delete", "accounts.unlock",
]  # fmt: skip
_GALLERY = [
    "gallery.addPhotos", "gallery.removePhoto", "gallery.movePhoto", "gallery.setAlt",
    "gallery.setDetails", "gallery.publish", "gallery.retry", "gallery.cancelPublish",
    "gallery.discardDraft", "gallery.retryCrossPost",
]  # fmt: skip
# What ends what others began is pressed seldom: there would be little to see otherwise.
_ENDS = {
    "login.cancel": 0.02, "accounts.signOut": 0.02, "gallery.discardDraft": 0.05,
    "gallery.cancelPublish": 0.1, "gallery.removePhoto": 0.3, "login.createAccount": 0.2,
}  # fmt: skip


class Lie(Exception):
    """The core did not do what its state said."""


class Walker:
    """A person who presses everything."""

    def __init__(self, network: Network, dice: random.Random) -> None:
        self._network = network
        self._dice = dice
        self._shell = network.shell(network.folder / "data")
        self._core: Client = self._shell.core
        self._core.on_effect("auth.present", self._present, presentations=["webview"])
        self._drafts: list[str] = []
        self._moody = False
        self.verdicts: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()

    def walk(self, count: int, seconds: float) -> None:
        """Sends so many intents, or for so long, whichever ends first."""
        self._shell.open()
        for handle in _HANDLES[:2]:
            self._shell.sign_in(handle)
        self._moody = True
        end = time.monotonic() + seconds
        while self.verdicts.total() < count and time.monotonic() < end:
            try:
                self._step()
            except (CoreGone, TimeoutError) as error:
                raise Lie(f"intent {self.verdicts.total()}: {error}") from error
        code = self._core.close(patience=40)
        if code != 0:
            raise Lie(f"the core ended with status {code}")

    def _return(self) -> None:
        """Signs somebody in again, as a person would who has pressed too much."""
        accounts = self._core.get("accounts")
        known = [account.get("handle") for account in accounts["account"].values()]
        missing = [handle for handle in _HANDLES[:2] if handle not in known]
        if "active" in accounts and not missing:
            return
        self._moody = False
        try:
            if "login.cancel" in self._core.get("login")["can"]:
                self._core.call("login.cancel")
            self._shell.sign_in(self._dice.choice(missing or _HANDLES[:2]))
        except (Problem, OperationCancelled):
            self.verdicts["could not return"] += 1
        self._moody = True

    def _step(self) -> None:
        if self._dice.random() < 0.02:
            self._return()
        kind = self._dice.choices(["login", "accounts", "drafts", "gallery"], [3, 2, 1, 6])[0]
        if kind == "login":
            self._send("login", None, self._pick(_LOGIN))
        elif kind == "accounts":
            self._send("accounts", None, self._pick(_ACCOUNTS))
        elif kind == "drafts":
            verdict = self._send("drafts", None, "gallery.createDraft")
            if verdict and "draft" in verdict:
                self._drafts.append(verdict["draft"])
        elif self._drafts:
            draft = self._dice.choice(self._drafts)
            self._send("galleryPublish", {"draft": draft}, self._pick(_GALLERY))

    def _pick(self, intents: list[str]) -> str:
        return self._dice.choices(intents, [_ENDS.get(name, 1) for name in intents])[0]

    def _send(self, model: str, args: dict[str, str] | None, intent: str) -> dict[str, Any] | None:
        try:
            held = self._core.call("models/get", {"model": model, **({"args": args} if args else {})})
        except Problem as problem:
            # A draft that is published, discarded, or of somebody who is not active.
            if args and problem.kind == "gallery.draftUnknown":
                self.verdicts["no such draft"] += 1
                if self._dice.random() < 0.3:
                    self._drafts.remove(args["draft"])
                return None
            raise Lie(f"models/get {model}: {problem.kind}") from problem
        state = held["state"]
        # What is offered leads further than what is not: of that, enough is tried all the same.
        offered = [name for name in state["can"] if name.split(".")[0] == intent.split(".")[0]]
        if offered and self._dice.random() < 0.6:
            intent = self._pick(offered)
        params = self._params(intent, state, args)
        if params is None:
            return None
        listed = intent in self._can(intent, state, params)
        try:
            verdict = self._core.call(
                intent, {**params, "_meta": {"ifRevision": {model: held["revision"]}}}
            )
        except Problem as problem:
            self.verdicts[problem.kind] += 1
            if problem.kind == "intent.notAvailable" and listed:
                raise Lie(f"{model} {state['phase']} lists {intent}, and refuses it") from problem
            unconfirmed = intent == "accounts.delete" and problem.kind == "rpc.invalidParams"
            if problem.kind.startswith(("core.", "rpc.", "protocol.")) and not unconfirmed:
                raise Lie(f"{intent} {sorted(params)}: {problem.kind}: {problem.words}") from problem
            return None
        self.verdicts["accepted" if listed else "joined"] += 1
        self.accepted[intent] += 1
        if not listed and not verdict.get("joined"):
            raise Lie(f"{model} {state['phase']} does not list {intent}, and takes it")
        return verdict

    @staticmethod
    def _can(intent: str, state: dict[str, Any], params: dict[str, Any]) -> list[str]:
        if intent.startswith("accounts.") and "account" in params:
            account = state["account"].get(params["account"])
            return list(account["can"]) if account else []
        return list(state["can"])

    def _params(
        self, intent: str, state: dict[str, Any], args: dict[str, str] | None
    ) -> dict[str, Any] | None:
        """Params the schema takes; `None` where the state has nothing to name."""
        dice = self._dice
        if intent in ("login.setHandle", "login.submitHandle"):
            return {"handle": dice.choice(_HANDLES)}
        if intent == "login.highlight":
            return {"move": dice.choice(["next", "previous", "none"])}
        if intent == "login.callback":
            return {"callbackUrl": "social.grain:/oauth/callback?code=x&state=y&iss=z"}
        if intent == "accounts.unlock" or intent.startswith("login.") or args is None:
            if not intent.startswith("accounts.") or intent == "accounts.unlock":
                return {}
            if not state["accountOrder"]:
                return None
            account = dice.choice(state["accountOrder"])
            return {
                "accounts.move": {"account": account, "before": dice.choice(state["accountOrder"])},
                "accounts.signOut": {"account": account, "discardDrafts": dice.random() < 0.2},
                "accounts.delete": {"account": account, "confirm": "not its name"},
            }.get(intent, {"account": account})
        photos = state["photoOrder"]
        if intent == "gallery.addPhotos":
            files = [str(self._network.photo), "/nowhere/at/all.jpg", sys.executable]
            picked = dice.choices(files, [8, 1, 1], k=dice.randint(1, 3))
            return {**args, "files": [{"path": path} for path in picked]}
        if intent in ("gallery.removePhoto", "gallery.movePhoto", "gallery.setAlt"):
            if not photos:
                return None
            more = {"alt": dice.choice(_TEXTS)} if intent == "gallery.setAlt" else {}
            return {**args, "photo": dice.choice(photos), **more}
        if intent == "gallery.setDetails":
            return {**args, "title": dice.choice(_TEXTS), "crossPost": dice.random() < 0.5}
        return dict(args)

    def _present(self, effect: Any) -> str:
        """Whatever people do in front of a sign-in page."""
        mood = self._dice.random() if self._moody else 1
        if mood < 0.3:
            return "dismissed"
        if mood < 0.5:
            effect.withdrawn.wait(2)
            return "dismissed"
        if self._moody:
            self._shell.password_of = self._dice.choice(_HANDLES[:2])
        try:
            return self._shell.present(effect)
        except Problem:
            return "dismissed"  # cancelled meanwhile: the callback belongs to nobody


def main(arguments: list[str]) -> int:
    """Runs the drill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    parser.add_argument("--count", type=int, default=10_000, help="at most so many (10000)")
    parser.add_argument("--seconds", type=float, default=1800, help="and no longer than this (1800)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args(arguments)
    print(f"intents: seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with running_network(options.core, Path(folder)) as network:
            walker = Walker(network, random.Random(options.seed))
            try:
                walker.walk(options.count, options.seconds)
            except Lie as lie:
                print(f"intents: {lie} (seed {options.seed})", file=sys.stderr)
                return 1
            finally:
                for what, counter in (("answers", walker.verdicts), ("accepted", walker.accepted)):
                    counts = ", ".join(f"{name} {n}" for name, n in counter.most_common())
                    print(f"intents: {counter.total()} {what}: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
