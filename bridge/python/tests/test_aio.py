"""The client on an event loop, over scripted cores."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Mapping

from grain_core import (
    AsyncClient,
    AsyncEffect,
    CoreGone,
    EffectFailed,
    OperationCancelled,
    Problem,
    SubscriptionClosed,
    state_digest,
)

from .support import FAKE, Step, answer, hear, initialized, merge, refuse, subscribed, tell, whole
from .test_models import States, difference, text
from .test_operations import asked, ended, told


class AsyncCoreCase(unittest.IsolatedAsyncioTestCase):
    """Runs a scripted core and closes it again."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = Path(folder.name, "script.json")

    async def core(self, *steps: Step, **options: Any) -> AsyncClient:
        """A client of a core that does these steps."""
        self.script.write_text(json.dumps(steps), "utf-8")
        command = [sys.executable, "-S", str(FAKE), str(self.script)]
        client = await AsyncClient.spawn(command, **options)
        self.addAsyncCleanup(client.close, 1)
        return client


class Requests(AsyncCoreCase):
    """Answers find their requests."""

    async def test_answers_may_overtake_each_other_in_both_framings_byte_by_byte(self) -> None:
        for framing in ("lines", "headers"):
            core = await self.core(
                {"headers": framing == "headers"},
                {"chunk": 1},
                hear("models/get", "first"),
                hear("ping", "second"),
                answer("second", n="ä – 😀 \u2028"),
                answer("first", n=1),
                framing=framing,
            )
            results = await asyncio.gather(core.call("models/get"), core.call("ping"))
            self.assertEqual([{"n": 1}, {"n": "ä – 😀 \u2028"}], list(results))

    async def test_a_refusal_is_a_problem(self) -> None:
        core = await self.core(hear("login.start"), refuse(1001, "intent.notAvailable", "Not now."))
        with self.assertRaises(Problem) as caught:
            await core.call("login.start")
        problem = caught.exception
        self.assertEqual(("intent.notAvailable", "Not now."), (problem.kind, problem.words))

    async def test_requests_beyond_what_the_core_takes_are_held_back(self) -> None:
        core = await self.core(
            *initialized(max_in_flight=2),
            hear("ping", "a", n=1),
            hear("ping", "b", n=2),
            {"silent": 0.2},
            answer("a"),
            hear("ping", "c", n=3),
            answer("b"),
            answer("c"),
        )
        await core.initialize("test", "1")
        await asyncio.gather(*(core.call("ping", n=n) for n in (1, 2, 3)))

    async def test_a_call_that_is_given_up_ignores_its_late_answer(self) -> None:
        core = await self.core(
            hear("models/get", "slow"), hear("ping", "quick"), answer("slow"), answer("quick", ok=1)
        )
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(core.call("models/get"), 0.05)
        self.assertEqual({"ok": 1}, await core.call("ping"))

    async def test_a_request_of_the_future_is_refused(self) -> None:
        core = await self.core(
            hear("ping"),
            tell("models/sparkle"),
            {"say": {"jsonrpc": "2.0", "id": "c-1", "method": "windows/move", "params": {}}},
            {"await": {"id": "c-1", "error": {"code": -32601}}, "as": "refusal"},
            answer(),
        )
        await core.call("ping")


class Models(AsyncCoreCase):
    """States."""

    async def test_random_states_arrive_in_order_and_gaps_are_mended(self) -> None:
        states, rounds = States(2_000), 2_000
        state = states.members(3)
        steps: list[Step] = subscribed(state)
        expected = [state]
        for revision in range(2, rounds + 2):
            new = states.changed(state)
            patch, digest = difference(state, new), state_digest(new)
            if revision % 100 == 0:
                steps.append(merge(patch, revision, revision + 1))
                steps += [hear("models/resync", "resync"), answer("resync")]
                steps.append(whole(new, revision, digest=digest))
            else:
                steps.append(merge(patch, revision - 1, revision, digest=digest))
            expected.append(new)
            state = new
        core = await self.core(*steps)
        arrived: list[Any] = []
        login = await core.subscribe("login", on_change=arrived.append)
        final = await asyncio.wait_for(login.wait(lambda _: login.revision == rounds + 1), 60)
        self.assertEqual(text(expected[-1]), text(final))
        self.assertEqual([text(one) for one in expected], [text(one) for one in arrived])

    async def test_a_loop_over_states_ends_with_the_instance(self) -> None:
        core = await self.core(
            *subscribed({"n": 1}),
            hear("ping"),
            merge({"n": 2}, 1, 2),
            tell("models/closed", subscription="login.1", reason="gone"),
            answer(),
        )
        login = await core.subscribe("login")
        pinging = asyncio.ensure_future(core.call("ping"))
        self.assertEqual([1, 2], [state["n"] async for state in login])
        await pinging
        with self.assertRaises(SubscriptionClosed) as caught:
            await login.wait(lambda state: state["n"] == 3)
        self.assertEqual("gone", caught.exception.reason)

    async def test_a_slow_reader_gets_the_newest_state(self) -> None:
        steps = [merge({"n": n}, n - 1, n) for n in (2, 3, 4)]
        core = await self.core(*subscribed({"n": 1}), hear("ping"), *steps, answer())
        login = await core.subscribe("login")
        reader = login.__aiter__()
        self.assertEqual(1, (await reader.__anext__())["n"])
        await core.call("ping")
        self.assertEqual(4, (await reader.__anext__())["n"])

    async def test_unsubscribing_ends_the_loop_and_nothing_arrives_any_more(self) -> None:
        core = await self.core(
            *subscribed({"n": 1}), hear("models/unsubscribe"), whole({"n": 2}, 2), answer(),
            hear("ping"), answer(),
        )  # fmt: skip
        login = await core.subscribe("login")
        await core.unsubscribe(login)
        await core.call("ping")
        self.assertEqual([{"n": 1}], [state async for state in login])


class Operations(AsyncCoreCase):
    """Operations and effects."""

    async def test_the_end_of_an_operation_is_never_missed(self) -> None:
        core = await self.core(
            hear("gallery.publish"),
            ended("succeeded"),
            answer(accepted=True, operation="op-1"),
            hear("ping"),
            ended("cancelled", "op-2"),
            answer(),
        )
        ending = await core.finish(await core.call("gallery.publish", draft="d-1"))
        self.assertEqual({"galleryPublish": 9}, ending["revisions"])
        waiting = asyncio.gather(core.finish("op-2"), core.finish("op-2"), return_exceptions=True)
        await core.call("ping")
        for error in await waiting:
            self.assertIsInstance(error, OperationCancelled)

    async def test_a_handler_may_send_intents_and_a_plain_function_is_one_too(self) -> None:
        core = await self.core(
            hear("ping"),
            asked("auth.present"),
            hear("login.callback", callbackUrl="app:/cb"),
            answer("id", accepted=True),
            told(result={"outcome": "callbackDelivered"}),
            asked("url.open"),
            told(result={"outcome": "opened"}),
            {"exit": 0},
        )

        async def present(effect: AsyncEffect) -> str:
            await core.call("login.callback", callbackUrl="app:/cb")
            return "callbackDelivered"

        core.on_effect("auth.present", present)
        core.on_effect("url.open", lambda effect: {"outcome": "opened"})
        with self.assertRaisesRegex(CoreGone, "exit 0"):
            await core.call("ping")

    async def test_a_withdrawn_effect_cancels_its_handler_and_is_answered(self) -> None:
        core = await self.core(
            hear("ping"),
            asked("auth.present"),
            tell("$/cancelRequest", id="c-9"),
            tell("$/cancelRequest", id="c-1"),
            told(error={"code": -32800, "data": {"kind": "request.cancelled"}}),
            answer(),
        )

        async def present(effect: AsyncEffect) -> str:
            await asyncio.Event().wait()
            return "dismissed"

        core.on_effect("auth.present", present)
        await core.call("ping")

    async def test_a_handler_that_fails_answers_all_the_same(self) -> None:
        async def denied(effect: AsyncEffect) -> str:
            raise EffectFailed("effect.denied")

        def broken(effect: AsyncEffect) -> str:
            raise OSError("no display")

        core = await self.core(
            hear("ping"),
            asked("url.open"),
            told(error={"code": 6003, "data": {"kind": "effect.denied"}}),
            asked("files.pick"),
            told(error={"code": 6002}),
            asked("image.prepare"),
            told(error={"code": 6002}),
            asked("clipboard.write"),
            told(error={"code": 6001}),
            answer(),
        )
        core.on_effect("url.open", denied)
        core.on_effect("files.pick", broken)
        core.on_effect("image.prepare", lambda effect: {"outcome": "prepared", "width": 2**60})
        await core.call("ping")


class Ending(AsyncCoreCase):
    """However the core ends, nobody waits for ever."""

    async def test_closing_is_shutdown_then_exit_then_the_end_of_input(self) -> None:
        core = await self.core(hear("shutdown"), answer(), hear("exit"), {"eof": True}, {"exit": 0})
        self.assertEqual(0, await core.close())

    async def test_a_core_that_does_not_end_is_ended(self) -> None:
        core = await self.core({"hang": True})
        self.assertEqual(-15, await core.close(0.2))

    async def test_everybody_who_waits_learns_that_the_core_is_gone(self) -> None:
        core = await self.core(
            *subscribed({"n": 1}), hear("ping"), {"log": "bad weather"}, {"exit": 70}
        )
        login = await core.subscribe("login")
        waiting = await asyncio.gather(
            core.finish("op-1"),
            login.wait(lambda state: state["n"] == 2),
            core.call("ping"),
            return_exceptions=True,
        )
        for error in waiting:
            assert isinstance(error, CoreGone)
            self.assertEqual(70, error.exit_code)
            self.assertIn("bad weather", error.last_log)
        with self.assertRaises(CoreGone):
            await core.call("ping")

    async def test_a_core_that_writes_nonsense_ends_the_session(self) -> None:
        core = await self.core(hear("ping"), {"raw": "Segmentation fault\n"}, {"eof": True})
        with self.assertRaisesRegex(CoreGone, "not JSON"):
            await core.call("ping")

    async def test_a_core_that_logs_a_lot_is_never_held_up(self) -> None:
        lines: list[str] = []
        noise = {"log": "x" * 100, "times": 20_000}
        core = await self.core(hear("ping"), noise, answer(), on_log=lines.append)
        await core.call("ping")
        await core.close(1)
        self.assertEqual(20_000, len(lines))

    async def test_a_program_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(CoreGone, "/nowhere/grain-core"):
            await AsyncClient.spawn(["/nowhere/grain-core"])

    async def test_a_callback_that_fails_does_not_end_the_session(self) -> None:
        faults: list[Mapping[str, Any]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context))

        def fail(state: Any) -> None:
            raise RuntimeError("a shell's own fault")

        core = await self.core(*subscribed({"n": 1}), hear("ping"), answer())
        await core.subscribe("login", on_change=fail)
        await core.call("ping")
        self.assertEqual(1, len(faults))


class Gaps(AsyncCoreCase):
    """What does not fit, and what is over."""

    async def test_one_whole_state_is_asked_for_at_a_time_and_again_after_a_refusal(self) -> None:
        core = await self.core(
            *subscribed({"n": 1}),
            merge({"n": 8}, 7, 8), merge({"n": 9}, 8, 9),
            hear("models/resync", "resync", subscription="login.1"),
            {"silent": 0.2},
            refuse(
                -32005, "protocol.overloaded", "Slow down.", "resync", retryable=True, retryAfterMs=9
            ),
            hear("models/resync", "resync", subscription="login.1"),
            answer("resync"), whole({"n": 12}, 12),
            {"eof": True},
        )  # fmt: skip
        login = await core.subscribe("login")
        self.assertEqual({"n": 12}, await login.wait(lambda state: state["n"] == 12))

    async def test_a_screen_is_told_that_its_instance_is_over_and_may_let_go_of_it(self) -> None:
        core = await self.core(
            *subscribed({"n": 1}),
            tell("models/closed", subscription="login.1", reason="gone"),
            hear("ping"), answer(),
            {"eof": True},
        )  # fmt: skip
        told: asyncio.Queue[SubscriptionClosed] = asyncio.Queue()
        login = await core.subscribe("login", on_closed=told.put_nowait)
        self.assertEqual("gone", (await told.get()).reason)
        await core.unsubscribe(login)  # says nothing to the core
        await core.call("ping")

    async def test_a_subscription_that_both_sides_end_at_once_is_over(self) -> None:
        core = await self.core(
            *subscribed({"n": 1}),
            hear("models/unsubscribe"),
            refuse(-32006, "protocol.unknownSubscription", "It is over."),
            {"eof": True},
        )  # fmt: skip
        login = await core.subscribe("login")
        await core.unsubscribe(login)
        await core.unsubscribe(login)
        self.assertIsNotNone(login.closed)

    async def test_close_may_be_called_again_and_leaves_no_descriptor(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        core = await self.core(hear("shutdown"), answer(), {"eof": True}, {"exit": 0})
        self.assertEqual([0, 0], [await core.close(), await core.close()])
        await asyncio.sleep(0)  # the loop closes the pipes in its next turn
        self.assertEqual(before, len(os.listdir("/proc/self/fd")))
