"""Requests, answers, problems, and the end of a session."""

from __future__ import annotations

import threading
import time

from grain_core import Client, CoreGone, Problem

from .support import CoreCase, answer, hear, initialized, refuse, tell


class Requests(CoreCase):
    """Answers find their requests."""

    def test_answers_may_overtake_each_other(self) -> None:
        core = self.core(
            hear("models/get", "first"),
            tell("operations/ended", operation="first-was-read", outcome="succeeded"),
            hear("ping", "second"),
            answer("second", n=2),
            answer("first", n=1),
        )
        results: dict[str, int] = {}
        first = threading.Thread(target=lambda: results.update(one=core.call("models/get")["n"]))
        first.start()
        core.finish("first-was-read", timeout=10)
        results["two"] = core.call("ping")["n"]
        first.join(10)
        self.assertEqual({"one": 1, "two": 2}, results)

    def test_initialize_says_who_asks_and_what_it_can_do(self) -> None:
        core = self.core(*initialized())
        core.on_effect("auth.present", lambda effect: "dismissed", presentations=["webview"])
        core.initialize("test", "1.0", models=["login", "galleryPublish"], locale="de-DE")
        params = self.seen()[0]["params"]
        self.assertEqual([1], params["protocolVersions"])
        self.assertEqual(("test", "1.0"), (params["client"]["name"], params["client"]["version"]))
        effects = params["capabilities"]["effects"]
        self.assertEqual({"auth.present": {"version": 1, "presentations": ["webview"]}}, effects)
        schemas = [entry["schemas"] for entry in params["models"]]
        self.assertEqual([["v1/models/login.json"], ["v1/models/gallery-publish.json"]], schemas)

    def test_a_refusal_is_a_problem_with_words_for_the_person(self) -> None:
        core = self.core(
            hear("login.submitHandle"),
            refuse(
                2001,
                "login.handleInvalid",
                "“alice” is not a full handle.",
                field="/handle",
                retryAfterMs=1500,
                details={"a": 1},
                cause="network.timeout",
            ),
        )
        with self.assertRaises(Problem) as caught:
            core.call("login.submitHandle", handle="alice")
        problem = caught.exception
        self.assertEqual((2001, "login.handleInvalid"), (problem.code, problem.kind))
        self.assertEqual("“alice” is not a full handle.", problem.words)
        self.assertEqual(("/handle", 1.5), (problem.field, problem.retry_after))
        self.assertEqual(({"a": 1}, "network.timeout"), (problem.details, problem.cause))

    def test_an_unanswered_request_gives_up_in_time_and_its_late_answer_is_ignored(self) -> None:
        core = self.core(
            hear("models/get", "slow"),
            hear("ping", "quick"),
            answer("slow"),
            answer("quick", ok=True),
        )
        with self.assertRaises(TimeoutError):
            core.call("models/get", timeout=0.05)
        self.assertEqual({"ok": True}, core.call("ping"))

    def test_requests_beyond_what_the_core_takes_are_held_back(self) -> None:
        core = self.core(
            *initialized(max_in_flight=2),
            hear("ping", "a"),
            hear("ping", "b"),
            {"silent": 0.2},
            answer("a"),
            hear("ping", "c"),
            answer("b"),
            answer("c"),
        )
        core.initialize("test", "1")
        threads = [threading.Thread(target=core.call, args=("ping",)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        self.assertEqual(4, len(self.seen()))

    def test_a_request_of_the_future_is_refused_and_a_notification_of_the_future_ignored(
        self,
    ) -> None:
        core = self.core(
            hear("ping"),
            tell("models/sparkle"),
            {"say": {"jsonrpc": "2.0", "id": "c-1", "method": "windows/move", "params": {}}},
            {"await": {"id": "c-1", "error": {"code": -32601}}, "as": "refusal"},
            answer(),
        )
        core.call("ping")


class Ending(CoreCase):
    """However the core ends, nobody waits for ever."""

    def test_closing_is_shutdown_then_exit_then_the_end_of_input(self) -> None:
        core = self.core(hear("shutdown"), answer(), hear("exit"), {"eof": True}, {"exit": 0})
        self.assertEqual(0, core.close())
        self.assertEqual(["shutdown", "exit"], [message["method"] for message in self.seen()])

    def test_a_core_that_does_not_end_is_ended(self) -> None:
        core = self.core({"hang": True})
        started = time.monotonic()
        self.assertEqual(-15, core.close(patience=0.2))
        self.assertLess(time.monotonic() - started, 10)

    def test_closing_twice_is_closing(self) -> None:
        core = self.core(hear("shutdown"), answer())
        core.close(1)
        core.close(1)

    def test_a_core_that_dies_says_so_to_everybody_who_waits(self) -> None:
        core = self.core(hear("ping"), {"log": "bad weather"}, {"exit": 70})
        with self.assertRaises(CoreGone) as caught:
            core.call("ping")
        self.assertEqual(70, caught.exception.exit_code)
        self.assertIn("exit 70): a fault of its own", str(caught.exception))
        self.assertIn("bad weather", caught.exception.last_log)
        with self.assertRaises(CoreGone):
            core.call("ping")
        with self.assertRaises(CoreGone):
            core.finish("op-1")

    def test_a_core_that_writes_nonsense_ends_the_session(self) -> None:
        core = self.core(hear("ping"), {"raw": "Segmentation fault\n"}, {"eof": True})
        with self.assertRaises(CoreGone) as caught:
            core.call("ping")
        self.assertIn("not JSON", str(caught.exception))

    def test_a_core_that_sends_half_a_message_ends_the_session_as_well(self) -> None:
        core = self.core(hear("ping"), tell("operations/ended"), {"eof": True})
        with self.assertRaises(CoreGone) as caught:
            core.call("ping")
        self.assertIn("malformed", str(caught.exception))

    def test_an_error_without_an_id_ends_the_session_because_one_request_has_no_answer(
        self,
    ) -> None:
        refusal = refuse(-32600, "frame.tooDeep", "No.")
        refusal["say"]["id"] = None
        core = self.core(hear("ping"), refusal, {"eof": True})
        with self.assertRaisesRegex(CoreGone, "frame.tooDeep"):
            core.call("ping")

    def test_a_core_that_logs_a_lot_is_never_held_up(self) -> None:
        lines: list[str] = []
        core = self.core(
            hear("ping"), {"log": "x" * 100, "times": 20_000}, answer(), on_log=lines.append
        )
        core.call("ping")
        core.close(1)
        self.assertEqual(20_000, len(lines))

    def test_a_program_that_is_not_there_is_named(self) -> None:
        with self.assertRaises(CoreGone) as caught:
            Client.spawn(["/nowhere/grain-core"])
        self.assertIn("/nowhere/grain-core", str(caught.exception))

    def test_leaving_the_block_closes_the_core(self) -> None:
        with self.core(hear("shutdown"), answer(), hear("exit")) as core:
            del core
        self.assertEqual(2, len(self.seen()))
