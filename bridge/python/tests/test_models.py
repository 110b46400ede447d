"""State: snapshots, merge patches, resync, and waiting."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import random
import threading
import unittest
from pathlib import Path
from typing import Any

from grain_core import Client, CoreGone, Subscription, SubscriptionClosed, merge_patch, state_digest

from .support import CoreCase, Step, answer, hear, merge, refuse, subscribed, tell, whole

EXAMPLES = Path(__file__).resolve().parents[3] / "Schemas/v1/examples"
ROUNDS = 10_000


def text(value: Any) -> str:
    """JSON text: tells true from 1 and 1 from 1.0, as `==` does not."""
    return json.dumps(value, sort_keys=True)


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """A merge patch from one null-free object to another."""
    patch: dict[str, Any] = {name: None for name in old if name not in new}
    for name, value in new.items():
        before = old.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            inner = difference(before, value)
            if inner:
                patch[name] = inner
        elif name not in old or text(before) != text(value):
            patch[name] = value
    return patch


class States:
    """Random states without null, and random changes of them."""

    NAMES = ("a", "b", "status", "photo", "photoOrder", "", "ä", "😀", "\u2028", "a/b", "~")
    PLAIN = (0, 1, -7, 2**53 - 1, 1.5, True, False, "", "0", "true", "x\ny", "\x7f\x85", "漢字")

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int) -> Any:
        kind = self.random.random()
        if depth > 0 and kind < 0.35:
            return self.members(depth - 1)
        if depth > 0 and kind < 0.45:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return self.random.choice(self.PLAIN)

    def members(self, depth: int) -> dict[str, Any]:
        count = self.random.randrange(5)
        return {name: self.value(depth) for name in self.random.sample(self.NAMES, count)}

    def changed(self, state: dict[str, Any], depth: int = 3) -> dict[str, Any]:
        result = dict(state)
        for _ in range(self.random.randrange(1, 4)):
            name = self.random.choice(self.NAMES)
            inner = result.get(name)
            if self.random.random() < 0.25:
                result.pop(name, None)
            elif isinstance(inner, dict) and self.random.random() < 0.7:
                result[name] = self.changed(inner, depth - 1)
            else:
                result[name] = self.value(max(0, depth - 1))
        return result


class Merging(unittest.TestCase):
    """Merge patches alone."""

    def test_the_examples_of_rfc_7396(self) -> None:
        for target, patch, result in [
            ({"a": "b"}, {"a": "c"}, {"a": "c"}),
            ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
            ({"a": "b"}, {"a": None}, {}),
            ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
            ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
            ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
            ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
            ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
            (["a", "b"], ["c", "d"], ["c", "d"]),
            ({"a": "b"}, ["c"], ["c"]),
            ({"a": "foo"}, "bar", "bar"),
            ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
            ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
            ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ]:
            self.assertEqual(text(result), text(merge_patch(target, patch)))

    def test_ten_thousand_random_changes_arrive_exactly(self) -> None:
        states = States(7396)
        held = states.members(3)
        for _ in range(ROUNDS):
            new = states.changed(held)
            before = text(held)
            merged = merge_patch(held, difference(held, new))
            self.assertEqual(text(new), text(merged))
            self.assertEqual(before, text(held), "the old state was changed in place")
            held = merged

    def test_a_digest_is_of_the_cores_own_text(self) -> None:
        # The text the core writes: names sorted by bytes, DEL and U+2028 escaped, / and ä not.
        written = '{"A":true,"a":"\\u007f\\u2028/ä","b":[1,{"x":{},"y":0.5}]}'
        state = {"b": [1, {"y": 0.5, "x": {}}], "a": "\x7f\u2028/ä", "A": True}
        self.assertEqual(hashlib.sha256(written.encode()).hexdigest(), state_digest(state))


class Snapshots(CoreCase):
    """Subscriptions of a running core."""

    def test_a_subscription_begins_whole_and_goes_on_by_differences(self) -> None:
        core = self.core(
            *subscribed({"phase": "signedOut", "operation": "op-1"}),
            merge({"phase": "signedIn", "operation": None}, 1, 4),
        )
        login = core.subscribe("login")
        self.assertEqual({"phase": "signedIn"}, login.wait(lambda s: s["phase"] == "signedIn"))
        self.assertEqual(4, login.revision)
        params = self.seen()[0]["params"]
        self.assertEqual(("login", "merge"), (params["model"], params["delivery"]))

    def test_ten_thousand_random_states_arrive_in_order_and_gaps_are_mended(self) -> None:
        states = States(10_000)
        state = states.members(3)
        steps: list[Step] = subscribed(state)
        expected = [state]
        for revision in range(2, ROUNDS + 2):
            new = states.changed(state)
            patch, digest = difference(state, new), state_digest(new)
            if revision % 500 == 0:  # a lost message: base is not what the client holds
                steps.append(merge(patch, revision, revision + 1))
            elif revision % 700 == 0:  # a wrong merge: only the digest tells
                steps.append(merge({**patch, "wrong": 1}, revision - 1, revision, digest=digest))
            else:
                steps.append(merge(patch, revision - 1, revision, digest=digest))
            if revision % 500 == 0 or revision % 700 == 0:
                steps += [hear("models/resync", "resync", subscription="login.1")]
                steps += [answer("resync"), whole(new, revision, digest=digest)]
            expected.append(new)
            state = new
        core = self.core(*steps, hear("ping"), answer())
        arrived: list[Any] = []
        login = core.subscribe("login", on_change=arrived.append)
        final = login.wait(lambda _: login.revision == ROUNDS + 1, timeout=120)
        core.call("ping")
        core.close(1)  # every callback has run
        self.assertEqual(text(expected[-1]), text(final))
        self.assertEqual([text(one) for one in expected], [text(one) for one in arrived])

    def test_differences_are_ignored_until_the_whole_state_has_come(self) -> None:
        core = self.core(
            *subscribed({"n": 1}),
            merge({"n": 3}, 2, 3),
            merge({"n": 4}, 3, 4),
            hear("models/resync"),
            answer(),
            whole({"n": 5}, 5),
            merge({"n": 6}, 5, 6),
        )
        seen: list[int] = []
        login = core.subscribe("login", on_change=lambda state: seen.append(state["n"]))
        login.wait(lambda state: state["n"] == 6)
        core.close(1)
        self.assertEqual([1, 5, 6], seen)

    def test_a_whole_state_with_a_wrong_digest_ends_the_session(self) -> None:
        core = self.core(*subscribed({"n": 1}), whole({"n": 2}, 2, digest="0" * 64), {"eof": True})
        login = core.subscribe("login")
        with self.assertRaises(CoreGone):
            login.wait(lambda state: state["n"] == 2)

    def test_a_state_you_hold_stays_what_it_was(self) -> None:
        core = self.core(
            *subscribed({"photo": {"p-1": {"step": "ready"}}}),
            hear("ping"),
            merge({"photo": {"p-1": {"step": "uploading"}}}, 1, 2),
            answer(),
        )
        login = core.subscribe("login")
        held = login.state
        core.call("ping")
        self.assertEqual("uploading", login.state["photo"]["p-1"]["step"])
        self.assertEqual("ready", held["photo"]["p-1"]["step"])

    def test_the_snapshots_of_one_frame_are_shown_together(self) -> None:
        core = self.core(
            *subscribed({"n": 1}),
            hear("models/subscribe", model="accounts"),
            answer(subscription="accounts.2", schema="s", revision=1),
            whole({"n": 1}, 1, "accounts", subscription="accounts.2"),
            hear("ping"),
            whole({"n": 2}, 2, more=True),
            whole({"n": 2}, 2, "accounts", subscription="accounts.2"),
            answer(),
        )
        seen: list[tuple[int, int]] = []

        def look(_: Any) -> None:
            seen.append((login.state["n"], accounts.state["n"]))

        login = core.subscribe("login")
        accounts = core.subscribe("accounts")
        login.on_change = accounts.on_change = look
        core.call("ping")
        core.close(1)
        self.assertEqual([(2, 2), (2, 2)], seen)

    def test_an_instance_that_ends_wakes_whoever_waits(self) -> None:
        core = self.core(
            *subscribed({"n": 1}),
            tell("models/closed", subscription="login.1", reason="gone"),
        )
        with self.assertRaises(SubscriptionClosed) as caught:
            core.subscribe("login").wait(lambda state: state["n"] == 2)
        self.assertEqual("gone", caught.exception.reason)

    def test_waiting_ends_in_time_and_says_what_it_saw(self) -> None:
        core = self.core(*subscribed({"phase": "resolving"}), {"eof": True})
        login = core.subscribe("login")
        with self.assertRaisesRegex(TimeoutError, "resolving"):
            login.wait(lambda state: state["phase"] == "signedIn", timeout=0.05)

    def test_nothing_arrives_after_unsubscribing(self) -> None:
        core = self.core(
            *subscribed({"n": 1}), hear("models/unsubscribe"), answer(), whole({"n": 2}, 2),
            hear("ping"), answer(),
        )  # fmt: skip
        login = core.subscribe("login")
        core.unsubscribe(login)
        core.call("ping")
        self.assertEqual({"n": 1}, login.state)

    def test_arguments_select_the_instance(self) -> None:
        core = self.core(
            *subscribed({"n": 1}, model="galleryPublish"),
            hear("models/get", args={"draft": "d-2"}),
            answer(schema="s", revision=1, state={"n": 9}),
        )
        core.subscribe("galleryPublish", {"draft": "d-2"})
        self.assertEqual({"draft": "d-2"}, self.seen()[0]["params"]["args"])
        self.assertEqual({"n": 9}, core.get("galleryPublish", {"draft": "d-2"}))

    def test_a_callback_that_fails_does_not_silence_the_next(self) -> None:
        core = self.core(*subscribed({"n": 1}), merge({"n": 2}, 1, 2), hear("ping"), answer())
        faults: list[Any] = []
        previous, threading.excepthook = threading.excepthook, faults.append
        self.addCleanup(setattr, threading, "excepthook", previous)
        seen: list[int] = []

        def on_change(state: Any) -> None:
            seen.append(state["n"])
            raise RuntimeError("a shell's own fault")

        core.subscribe("login", on_change=on_change)
        core.call("ping")
        core.close(1)
        self.assertEqual([1, 2], seen)
        self.assertEqual(2, len(faults))


class Recorded(unittest.TestCase):
    """The sessions beside the schemas."""

    def test_the_protocol_documents_session_ends_signed_in(self) -> None:
        login = self.replay("protocol-document.ndjson", "main.login")
        self.assertEqual(("done", "signedIn"), (login.state["status"], login.state["phase"]))
        self.assertNotIn("operation", login.state)
        self.assertEqual(8, login.revision)

    def test_the_offline_publish_ends_failed_with_its_problem(self) -> None:
        gallery = self.replay("publish-offline.ndjson", "g1")
        self.assertEqual("network.offline", gallery.state["problem"]["kind"])
        self.assertEqual("ready", gallery.state["photo"]["p-1"]["step"])
        self.assertNotIn("percent", gallery.state)

    def replay(self, name: str, identifier: str) -> Subscription:
        """A subscription after every snapshot of a recorded session."""
        subscription = Subscription(identifier, "model")
        for line in (EXAMPLES / "sessions" / name).read_text("utf-8").splitlines():
            message = json.loads(line).get("expect", {})
            params = message.get("params", {})
            if message.get("method") == "models/snapshot" and params["subscription"] == identifier:
                self.assertTrue(subscription.apply(params), line)
        return subscription


class Gaps(CoreCase):
    """What does not fit, and what is over."""

    def test_one_whole_state_is_asked_for_at_a_time_and_again_when_that_was_refused(self) -> None:
        core = self.core(
            *subscribed({"n": 1}),
            merge({"n": 8}, 7, 8), merge({"n": 9}, 8, 9), merge({"n": 10}, 9, 10),
            hear("models/resync", "resync", subscription="login.1"),
            {"silent": 0.2},
            refuse(-32005, "protocol.overloaded", "Slow down.", "resync", retryable=True, retryAfterMs=10),
            hear("models/resync", "resync", subscription="login.1"),
            answer("resync"), whole({"n": 12}, 12),
            merge({"n": 20}, 19, 20),
            hear("models/resync", "resync", subscription="login.1"),
            answer("resync"), whole({"n": 21}, 21),
            {"eof": True},
        )  # fmt: skip
        login = core.subscribe("login")
        self.assertEqual({"n": 12}, login.wait(lambda state: state["n"] == 12))
        self.assertEqual({"n": 21}, login.wait(lambda state: state["n"] == 21))

    def test_a_screen_is_told_that_its_instance_is_over_and_may_let_go_of_it(self) -> None:
        core = self.core(
            *subscribed({"n": 1}),
            tell("models/closed", subscription="login.1", reason="gone"),
            hear("ping"), answer(),
            {"eof": True},
        )  # fmt: skip
        told: queue.SimpleQueue[SubscriptionClosed] = queue.SimpleQueue()
        login = core.subscribe("login", on_closed=told.put)
        self.assertEqual("gone", told.get(timeout=20).reason)
        self.assertIsNotNone(login.closed)
        core.unsubscribe(login)  # says nothing to the core
        core.call("ping")

    def test_a_subscription_that_is_ended_wakes_whoever_waits(self) -> None:
        core = self.core(
            *subscribed({"n": 1}),
            hear("models/unsubscribe"),
            refuse(-32006, "protocol.unknownSubscription", "It is over."),
            {"eof": True},
        )  # fmt: skip
        login = core.subscribe("login")
        waiting = threading.Thread(target=lambda: core.unsubscribe(login))
        waiting.start()
        with self.assertRaises(SubscriptionClosed):
            login.wait(lambda state: False, timeout=20)
        waiting.join()
        core.unsubscribe(login)

    def test_a_subscription_without_a_first_state_is_given_up(self) -> None:
        core = self.core(
            hear("models/subscribe"),
            answer(subscription="login.1", revision=1),
            hear("models/unsubscribe", subscription="login.1"),
            answer(),
            {"eof": True},
        )
        with self.assertRaises(TimeoutError):
            core.subscribe("login", timeout=0.3)

    def test_close_may_be_called_again_and_leaves_no_descriptor(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        core = self.core(hear("shutdown"), answer(), {"eof": True}, {"exit": 0})
        self.assertEqual([0, 0], [core.close(), core.close()])
        self.assertEqual(before, len(os.listdir("/proc/self/fd")))

    def test_close_leaves_no_descriptor_of_streams_either(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        (core_reads, shell_writes), (shell_reads, core_writes) = os.pipe(), os.pipe()
        client = Client(os.fdopen(shell_reads, "rb", 0), os.fdopen(shell_writes, "wb", 0))
        os.close(core_writes)
        client.close(1)
        client.close(1)
        os.close(core_reads)
        self.assertEqual(before, len(os.listdir("/proc/self/fd")))

