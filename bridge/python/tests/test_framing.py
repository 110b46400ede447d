"""Bytes to messages and back."""

from __future__ import annotations

import json
import unittest

from grain_core import LineSplitter, ProtocolError, encode

from .support import CoreCase, answer, hear

# Characters of two, three and four bytes, and the two that some readers take for line breaks.
TEXT = "ä – 😀 \u2028\u2029 \u0085 end"


class Splitting(unittest.TestCase):
    """The splitter alone."""

    def test_messages_come_out_wherever_the_chunks_begin_and_end(self) -> None:
        messages = [{"text": TEXT}, {"n": 1}, {"list": [TEXT, {}]}]
        stream = b"".join(encode(message) for message in messages)
        for size in (1, 2, 3, 5, 7, len(stream)):
            splitter = LineSplitter()
            chunks = [stream[i : i + size] for i in range(0, len(stream), size)]
            found = [message for chunk in chunks for message in splitter.feed(chunk)]
            self.assertEqual(messages, found, f"{size} bytes at a time")

    def test_a_line_is_as_long_as_it_is(self) -> None:
        line = encode({"text": "x" * 3_000_000})
        splitter = LineSplitter()
        found = [m for i in range(0, len(line), 65536) for m in splitter.feed(line[i : i + 65536])]
        self.assertEqual(3_000_000, len(found[0]["text"]))

    def test_carriage_returns_and_blank_lines_are_no_messages(self) -> None:
        self.assertEqual([{"a": 1}], list(LineSplitter().feed(b'\r\n\n{"a":1}\r\n  \n')))

    def test_what_is_no_object_is_the_cores_fault(self) -> None:
        for line in (b"hello\n", b"[]\n", b'{"a":\xff}\n', b'{"a":1} {}\n'):
            with self.assertRaises(ProtocolError):
                list(LineSplitter().feed(line))

    def test_a_message_is_one_line_of_utf_8(self) -> None:
        line = encode({"text": "a\nb – c", "path": "a/b"})
        self.assertEqual(1, line.count(b"\n"))
        self.assertIn("–".encode(), line)
        self.assertIn(b"a/b", line)
        self.assertEqual({"text": "a\nb – c", "path": "a/b"}, json.loads(line))

    def test_what_json_cannot_say_is_refused_before_it_is_sent(self) -> None:
        for value in (float("nan"), float("inf"), "\ud800"):
            with self.assertRaises(ValueError):
                encode({"value": value})


class OverAPipe(CoreCase):
    """The same through a process."""

    def test_a_core_that_writes_byte_by_byte_is_understood(self) -> None:
        core = self.core({"chunk": 1}, hear("ping"), answer(text=TEXT))
        self.assertEqual({"text": TEXT}, core.call("ping"))

    def test_a_large_answer_arrives_whole(self) -> None:
        core = self.core(hear("ping"), answer(text="y" * 900_000))
        self.assertEqual(900_000, len(core.call("ping")["text"]))

    def test_a_large_request_is_written_whole(self) -> None:
        core = self.core(hear("login.setHandle", handle="z" * 900_000), answer())
        core.call("login.setHandle", handle="z" * 900_000)
