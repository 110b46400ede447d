"""The recorded sessions beside the schemas, and what the validator says about bad ones."""

from __future__ import annotations

import contextlib
import io
import json
import unittest
from pathlib import Path
from typing import Any

from bundle import DEFAULT, Bundle
from session import merged, state_digest
from validate_messages import findings, main

EXAMPLES = DEFAULT / "v1/examples"


def lines(path: Path) -> list[str]:
    """A session's lines."""
    return path.read_text("utf-8").split("\n")


class Sessions(unittest.TestCase):
    """Whole sessions, as the core records them."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.bundle = Bundle()

    def found(self, *steps: object) -> list[str]:
        """What is said against steps given as values."""
        return [str(f) for f in findings(self.bundle, [json.dumps(step) for step in steps])]

    def test_every_valid_session_passes(self) -> None:
        sessions = sorted((EXAMPLES / "sessions").glob("*.ndjson"))
        self.assertTrue(sessions)
        for path in sessions:
            with self.subTest(path.name):
                self.assertEqual([], [str(f) for f in findings(self.bundle, lines(path))])

    def test_every_transcript_passes(self) -> None:
        for path in sorted((DEFAULT / "v1/transcripts").glob("*.ndjson")):
            with self.subTest(path.name):
                self.assertEqual([], [str(f) for f in findings(self.bundle, lines(path))])

    def test_a_script_is_held_to_what_it_sends_where_it_expects_success(self) -> None:
        header = {"transcript": 1, "title": "t"}
        send = {"send": {"id": 1, "method": "gallery.setAlt", "params": {"draft": "$var:d"}}}
        accepted = {"expect": {"id": 1, "result": {"accepted": True}}}
        refused = {"expect": {"id": 1, "error": {"code": -32602}}}
        self.assertTrue(any("photo" in f for f in self.found(header, send, accepted)))
        self.assertEqual([], self.found(header, send, refused))

    def test_every_invalid_session_is_refused_on_the_line_it_names_and_nowhere_else(self) -> None:
        sessions = sorted((EXAMPLES / "invalid/sessions").glob("*.ndjson"))
        self.assertTrue(sessions)
        for path in sessions:
            with self.subTest(path.name):
                header = json.loads(lines(path)[0])
                found = {finding.line for finding in findings(self.bundle, lines(path))}
                self.assertEqual({header["line"]}, found, header["why"])

    def test_a_second_core_starts_with_nothing(self) -> None:
        restart = {"t": 3, "restart": {"signal": "KILL"}}
        ping = {"t": 1, "send": {"id": 1, "method": "ping"}}
        answer = {"t": 4, "expect": {"id": 1, "result": {}}}
        self.assertIn("3: /id: answers no open request", self.found(ping, restart, answer))

    def test_a_digest_is_that_of_the_state_after_every_merge(self) -> None:
        header, *steps = lines(EXAMPLES / "sessions/protocol-document.ndjson")
        state: Any = None
        spoiled = [header]
        for line in filter(None, steps):
            step = json.loads(line)
            params = step.get("expect", {}).get("params", {})
            if "revision" in params:
                state = params["state"] if "state" in params else merged(state, params["merge"])
                params["digest"] = state_digest(state)
            spoiled.append(json.dumps(step))
        self.assertEqual([], [str(f) for f in findings(self.bundle, spoiled)])
        wrong = [line.replace(state_digest(state), "0" * 64) for line in spoiled]
        found = [str(f) for f in findings(self.bundle, wrong)]
        self.assertEqual(1, len(found))
        self.assertIn("/params/digest", found[0])

    def test_requests_of_the_test_profile_are_not_judged(self) -> None:
        session = lines(EXAMPLES / "sessions/protocol-document.ndjson")
        advance = {"t": 90, "send": {"id": 90, "method": "$/test/advance", "params": {"ms": 5}}}
        done = {"t": 91, "expect": {"id": 90, "result": {}}}
        more = [*session, json.dumps(advance), json.dumps(done)]
        self.assertEqual([], [str(f) for f in findings(self.bundle, more)])

    def test_what_comes_right_behind_initialize_needs_no_answer_first(self) -> None:
        header, initialize, answer = lines(EXAMPLES / "sessions/protocol-document.ndjson")[:3]
        start = {"t": 1, "send": {"id": 90, "method": "login.start", "params": None}}
        done = {"t": 3, "expect": {"id": 90, "result": {"accepted": True, "revisions": {}}}}
        session = [header, initialize, json.dumps(start), answer, json.dumps(done)]
        self.assertEqual([], [str(f) for f in findings(self.bundle, session)])

    def test_after_a_resync_the_same_revision_comes_again_in_full(self) -> None:
        session = lines(EXAMPLES / "sessions/protocol-document.ndjson")
        steps = [json.loads(line) for line in filter(None, session)]
        number, first = next(
            (number, step)
            for number, step in enumerate(steps)
            if "state" in step.get("expect", {}).get("params", {})
        )
        params = {"subscription": first["expect"]["params"]["subscription"]}
        resync = {"id": 90, "method": "models/resync", "params": params}
        begun = session[: number + 1]
        asked = json.dumps({"t": 90, "send": resync})
        done = json.dumps({"t": 91, "expect": {"id": 90, "result": {}}})
        again = [*begun, asked, done, session[number]]
        self.assertEqual([], [str(f) for f in findings(self.bundle, again)])
        unasked = [*begun, session[number]]
        self.assertEqual(1, len(list(findings(self.bundle, unasked))))

    def test_a_script_may_expect_in_part_and_by_matchers(self) -> None:
        expect = {"method": "operations/ended", "params": {"outcome": "$any"}}
        self.assertEqual([], self.found({"expect": expect}))

    def test_a_script_may_not_expect_what_no_core_sends(self) -> None:
        expect = {"method": "operations/ended", "params": {"outcome": "skipped"}}
        self.assertEqual(1, len(self.found({"expect": expect})))
        self.assertEqual(1, len(self.found({"expect": {"method": "models/changed"}})))

    def test_the_command_says_what_it_found_and_fails(self) -> None:
        good = str(EXAMPLES / "sessions/protocol-document.ndjson")
        bad = str(EXAMPLES / "invalid/sessions/wrong-base.ndjson")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(0, main([good]))
            self.assertEqual(1, main([good, bad]))
        self.assertIn("/params/base", output.getvalue())
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(2, main(["/nowhere/session.ndjson"]))


if __name__ == "__main__":
    unittest.main()
