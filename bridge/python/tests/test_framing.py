"""Bytes to messages and back."""

from __future__ import annotations

import unittest
from typing import Any

from grain_core import MessageSplitter, ProtocolError, encode

from .support import CoreCase, Step, answer, hear

# Characters of two, three and four bytes, and the two that some readers take for line breaks.
TEXT = "ä – 😀 \u2028\u2029 \u0085 end"


FRAMINGS = ("lines", "headers")
MESSAGES: list[dict[str, Any]] = [{"text": TEXT}, {"n": 1}, {"list": [TEXT, {}]}]


class Splitting(unittest.TestCase):
    """The splitter alone."""

    def test_messages_come_out_wherever_the_chunks_begin_and_end(self) -> None:
        for framing in FRAMINGS:
            stream = b"".join(encode(message, framing) for message in MESSAGES)
            for size in (1, 2, 3, 5, 7, len(stream)):
                splitter = MessageSplitter(framing)
                chunks = [stream[i : i + size] for i in range(0, len(stream), size)]
                found = [message for chunk in chunks for message in splitter.feed(chunk)]
                self.assertEqual(MESSAGES, found, f"{framing}, {size} bytes at a time")

    def test_a_message_is_as_long_as_it_is(self) -> None:
        for framing in FRAMINGS:
            data = encode({"list": ["x" * 200_000] * 15}, framing)
            splitter = MessageSplitter(framing)
            chunks = [data[i : i + 65536] for i in range(0, len(data), 65536)]
            found = [message for chunk in chunks for message in splitter.feed(chunk)]
            self.assertEqual(200_000, len(found[0]["list"][14]))

    def test_a_header_without_a_length_or_an_end_is_the_cores_fault(self) -> None:
        for header in (b"Content-Length: x\r\n\r\n", b"Other: 1\r\n\r\n", b"C" * 1100):
            with self.assertRaises(ProtocolError):
                list(MessageSplitter("headers").feed(header))

    def test_other_headers_are_passed_over(self) -> None:
        data = b'Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'
        self.assertEqual([{"a": 1}], list(MessageSplitter("headers").feed(data)))

    def test_carriage_returns_and_blank_lines_are_no_messages(self) -> None:
        self.assertEqual([{"a": 1}], list(MessageSplitter().feed(b'\r\n\n{"a":1}\r\n  \n')))

    def test_what_is_no_object_is_the_cores_fault(self) -> None:
        for line in (b"hello\n", b"[]\n", b'{"a":\xff}\n', b'{"a":1} {}\n'):
            with self.assertRaises(ProtocolError):
                list(MessageSplitter().feed(line))

    def test_a_message_is_one_line_whatever_its_reader_takes_for_a_line_break(self) -> None:
        line = encode({"text": "a\nb\u2028c – d", "path": "a/b"})
        self.assertEqual('{"text":"a\\nb\\u2028c – d","path":"a/b"}\n', line.decode())

    def test_what_the_core_could_not_read_is_refused_before_it_is_sent(self) -> None:
        deep: Any = 1
        for _ in range(64):
            deep = {"a": deep}
        circle: list[Any] = []
        circle.append(circle)
        bad = (float("nan"), float("inf"), 2**53, "\ud800", {"\udc00": 1}, deep, circle)
        for value in (*bad, "x" * 262_145):
            with self.assertRaises(ValueError):
                encode({"value": value})
        with self.assertRaises(ValueError):
            encode({"list": ["x" * 200_000] * 10}, limit=1_048_576)
        encode({"text": "x" * 262_144, "yes": True, "half": 0.5})


class OverAPipe(CoreCase):
    """The same through a process."""

    def test_a_core_that_writes_byte_by_byte_is_understood(self) -> None:
        for framing in FRAMINGS:
            how: list[Step] = [{"headers": framing == "headers"}, {"chunk": 1}]
            core = self.core(*how, hear("ping"), answer(text=TEXT), framing=framing)
            self.assertEqual({"text": TEXT}, core.call("ping"))

    def test_a_large_answer_arrives_whole(self) -> None:
        core = self.core(hear("ping"), answer(text="y" * 900_000))
        self.assertEqual(900_000, len(core.call("ping")["text"]))

    def test_a_large_request_is_written_whole(self) -> None:
        parts = ["z" * 200_000] * 4
        core = self.core(hear("login.setHandle", parts=parts), answer())
        core.call("login.setHandle", parts=parts)
