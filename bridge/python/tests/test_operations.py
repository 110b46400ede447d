"""Operations, progress and effects."""

from __future__ import annotations

import threading
from typing import Any, Mapping

from grain_core import CoreGone, Effect, EffectFailed, OperationCancelled, Problem

from .support import CoreCase, Step, answer, hear, initialized, tell


def ended(outcome: str, operation: str = "op-1", **more: Any) -> Step:
    """An operation ends."""
    params = {"operation": operation, "intent": "gallery.publish", "outcome": outcome}
    return tell("operations/ended", **params, revisions={"galleryPublish": 9}, **more)


def asked(effect: str, identifier: str = "c-1", **args: Any) -> Step:
    """The core asks for an effect."""
    params = {"effect": effect, "version": 1, "operation": "op-1", "args": args}
    message = {"jsonrpc": "2.0", "id": identifier, "method": "effects/perform", "params": params}
    return {"say": message}


def told(**members: Any) -> Step:
    """The core awaits the answer to an effect."""
    return {"await": {"id": "c-1", **members}, "as": "effect"}


class Operations(CoreCase):
    """Work that outlives its verdict."""

    def test_finishing_waits_for_the_end_of_the_operation(self) -> None:
        core = self.core(
            hear("gallery.publish"), answer(accepted=True, operation="op-1"), ended("succeeded")
        )
        ending = core.finish(core.call("gallery.publish", draft="d-1"), timeout=10)
        self.assertEqual({"galleryPublish": 9}, ending["revisions"])

    def test_an_operation_that_ended_before_anybody_asked_is_not_missed(self) -> None:
        core = self.core(
            hear("gallery.publish"), ended("succeeded"), answer(accepted=True, operation="op-1")
        )
        core.finish(core.call("gallery.publish", draft="d-1"), timeout=10)
        core.finish("op-1", timeout=0.1)

    def test_a_verdict_without_an_operation_is_done_already(self) -> None:
        core = self.core(hear("login.start"), answer(accepted=True, revisions={"login": 2}))
        self.assertEqual("succeeded", core.finish(core.call("login.start"))["outcome"])

    def test_a_failed_operation_raises_its_problem(self) -> None:
        message = {"key": "network.offline", "params": {}, "fallback": "You are offline."}
        problem = {"code": 4001, "kind": "network.offline", "retryable": True, "message": message}
        core = self.core(hear("ping"), ended("failed", problem=problem), answer())
        core.call("ping")
        with self.assertRaises(Problem) as caught:
            core.finish("op-1")
        self.assertEqual(
            (4001, "You are offline."), (caught.exception.code, caught.exception.words)
        )
        self.assertTrue(caught.exception.retryable)

    def test_a_cancelled_operation_is_no_problem(self) -> None:
        core = self.core(hear("ping"), ended("cancelled"), answer())
        core.call("ping")
        with self.assertRaises(OperationCancelled):
            core.finish("op-1")

    def test_waiting_for_an_operation_ends_in_time(self) -> None:
        core = self.core({"eof": True})
        with self.assertRaises(TimeoutError):
            core.finish("op-1", timeout=0.05)

    def test_endings_and_progress_are_told_in_order(self) -> None:
        def progress(done: int) -> Step:
            value = {"done": done, "total": 2, "unit": "photos"}
            return tell("$/progress", token="op-1", value=value)

        core = self.core(*initialized(), progress(1), progress(2), ended("succeeded"))
        heard: list[Any] = []
        finished = threading.Event()

        def on_ended(params: Mapping[str, Any]) -> None:
            heard.append(params["operation"])
            finished.set()

        core.initialize(
            "test",
            "1",
            on_progress=lambda params: heard.append(params["value"]["done"]),
            on_ended=on_ended,
        )
        self.assertTrue(finished.wait(10))
        self.assertEqual([1, 2, "op-1"], heard)
        self.assertTrue(self.seen()[0]["params"]["capabilities"]["progress"])


class Effects(CoreCase):
    """What only the shell can do."""

    def test_a_handler_answers_with_an_outcome(self) -> None:
        core = self.core(
            hear("ping"),
            asked("url.open", url="https://example.com/"),
            told(result={"outcome": "opened"}),
            answer(),
        )
        urls: list[str] = []

        def handler(effect: Effect) -> str:
            urls.append(effect.args["url"])
            return "opened"

        core.on_effect("url.open", handler)
        core.call("ping")
        self.assertEqual(["https://example.com/"], urls)

    def test_a_handler_may_send_intents_while_the_core_waits(self) -> None:
        core = self.core(
            hear("login.submitHandle"),
            answer(accepted=True, operation="op-1"),
            asked("auth.present"),
            hear("login.callback", callbackUrl="app:/cb"),
            answer(accepted=True, joined=True, operation="op-1"),
            told(result={"outcome": "callbackDelivered"}),
            ended("succeeded"),
        )

        def handler(effect: Effect) -> str:
            core.call("login.callback", callbackUrl="app:/cb")
            return "callbackDelivered"

        core.on_effect("auth.present", handler)
        core.finish(core.call("login.submitHandle", handle="alice.test"), timeout=10)

    def test_a_whole_result_is_passed_on(self) -> None:
        result = {"outcome": "picked", "files": [{"path": "/a.jpg"}]}
        core = self.core(hear("ping"), asked("files.pick"), told(result=result), answer())
        core.on_effect("files.pick", lambda effect: result)
        core.call("ping")

    def test_a_handler_that_cannot_says_why_and_one_that_fails_answers_all_the_same(self) -> None:
        def denied(effect: Effect) -> str:
            raise EffectFailed("effect.denied")

        def broken(effect: Effect) -> str:
            raise OSError("no display")

        core = self.core(
            hear("ping"),
            asked("url.open"),
            told(error={"code": 6003, "data": {"kind": "effect.denied", "retryable": False}}),
            asked("files.pick"),
            told(error={"code": 6002, "data": {"kind": "effect.failed", "retryable": True}}),
            asked("image.prepare"),
            told(error={"code": 6002}),
            asked("clipboard.write"),
            told(error={"code": 6001, "data": {"kind": "effect.unsupported"}}),
            answer(),
        )
        core.on_effect("url.open", denied)
        core.on_effect("files.pick", broken)
        core.on_effect("image.prepare", lambda effect: {"outcome": "prepared", "width": 2**60})
        core.call("ping")
        with self.assertRaises(ValueError):
            EffectFailed("effect.tired")

    def test_a_withdrawn_effect_is_told_to_its_handler_and_answered(self) -> None:
        core = self.core(
            hear("ping"),
            asked("auth.present"),
            tell("$/cancelRequest", id="c-9"),
            tell("$/cancelRequest", id="c-1"),
            told(result={"outcome": "dismissed"}),
            answer(),
        )
        withdrawn: list[bool] = []

        def handler(effect: Effect) -> str:
            withdrawn.append(effect.withdrawn.wait(10))
            return "dismissed"

        core.on_effect("auth.present", handler)
        core.call("ping")
        self.assertEqual([True], withdrawn)

    def test_a_handler_learns_that_the_core_is_gone(self) -> None:
        core = self.core(hear("ping"), asked("auth.present"), {"exit": 70})
        released = threading.Event()

        def handler(effect: Effect) -> str:
            if effect.withdrawn.wait(10):
                released.set()
            return "dismissed"

        core.on_effect("auth.present", handler)
        with self.assertRaises(CoreGone):
            core.call("ping")
        self.assertTrue(released.wait(10))
