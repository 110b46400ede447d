"""Messages to bytes, and bytes to messages (bridge-protocol §1)."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, Mapping, Optional

from .errors import ProtocolError

LINES = "lines"
HEADERS = "headers"
MOST_MESSAGE_BYTES = 1024 * 1024

_HEADER_END = b"\r\n\r\n"
_MOST_HEADER_BYTES = 1024
_MOST_NESTING = 64
_MOST_STRING_BYTES = 256 * 1024
_MOST_INTEGER = 2**53 - 1
_LENGTH = re.compile(rb"(?:^|\r\n)content-length: *([0-9]{1,8})(?:\r\n|$)", re.IGNORECASE)


def encode(
    message: Mapping[str, Any], framing: str = LINES, limit: Optional[int] = None
) -> bytes:
    """A message as bytes, framed.

    What the core could not read is refused here, because it would be answered without an id, and
    the request would wait for ever.

    Raises:
        ValueError: the message holds NaN, an infinity, an integer no core takes, half of a
            surrogate pair, a text over 256 KiB or nesting over 64, or is longer than `limit`.
    """
    _check(message, 1)
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Two characters some readers take for the end of a line; the core escapes them as well.
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    body = text.encode("utf-8")
    if limit is not None and len(body) > limit:
        raise ValueError(f"a message of {len(body)} bytes is more than the core takes")
    if framing == LINES:
        return body + b"\n"
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        if len(value) > _MOST_STRING_BYTES // 4 and len(value.encode()) > _MOST_STRING_BYTES:
            raise ValueError("a text is longer than 256 KiB")
    elif isinstance(value, int):
        if abs(value) > _MOST_INTEGER:
            raise ValueError(f"{value} is no integer for a message")
    elif isinstance(value, (Mapping, list, tuple)):
        if depth > _MOST_NESTING:
            raise ValueError("a message is nested deeper than 64")
        for member in value.values() if isinstance(value, Mapping) else value:
            _check(member, depth + 1)


class MessageSplitter:
    """Cuts a stream of bytes into messages, wherever its chunks begin and end.

    Bytes are cut before anything is decoded, so a character may straddle two chunks; there is no
    limit on a message, because the core keeps to the one that was agreed.
    """

    def __init__(self, framing: str = LINES) -> None:
        self._framing = framing
        self._rest = bytearray()
        self._searched = 0
        self._wanted: Optional[int] = None

    def feed(self, chunk: bytes) -> Iterator[Dict[str, Any]]:
        """The messages that are complete with this chunk.

        Raises:
            ProtocolError: the core wrote what is no JSON object in UTF-8, or no length before it.
        """
        self._rest += chunk
        while True:
            body = self._line() if self._framing == LINES else self._frame()
            if body is None:
                return
            if body.strip():
                yield _message(body)

    def _line(self) -> Optional[bytes]:
        end = self._rest.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._rest)
            return None
        self._searched = 0
        line = self._take(end)
        del self._rest[:1]
        return line

    def _frame(self) -> Optional[bytes]:
        if self._wanted is None:
            end = self._rest.find(_HEADER_END)
            if end > _MOST_HEADER_BYTES or (end < 0 and len(self._rest) > _MOST_HEADER_BYTES):
                raise ProtocolError("the core wrote a header without an end")
            if end < 0:
                return None
            found = _LENGTH.search(self._take(end))
            if found is None:
                raise ProtocolError("the core wrote a header without a length")
            del self._rest[: len(_HEADER_END)]
            self._wanted = int(found.group(1))
        if len(self._rest) < self._wanted:
            return None
        body = self._take(self._wanted)
        self._wanted = None
        return body

    def _take(self, count: int) -> bytes:
        taken = bytes(self._rest[:count])
        del self._rest[:count]
        return taken


def _message(body: bytes) -> Dict[str, Any]:
    try:
        message = json.loads(body.decode("utf-8"))
    except ValueError as error:
        raise ProtocolError(f"the core wrote what is not JSON: {body[:80]!r}") from error
    if not isinstance(message, dict):
        raise ProtocolError(f"the core wrote what is not an object: {body[:80]!r}")
    return message
