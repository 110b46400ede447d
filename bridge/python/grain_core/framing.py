"""One message a line: bytes to messages and back (bridge-protocol §1)."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Mapping

from .errors import ProtocolError


def encode(message: Mapping[str, Any]) -> bytes:
    """A message as one line, the line feed included.

    Raises:
        ValueError: the message holds NaN, an infinity, or half of a surrogate pair.
    """
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"


class LineSplitter:
    """Cuts a stream of bytes into messages, wherever its chunks begin and end.

    Bytes are cut at 0x0A before anything is decoded, so a character may straddle two chunks; there
    is no limit on a line, because the core keeps to the one that was agreed.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._searched = 0

    def feed(self, chunk: bytes) -> Iterator[Dict[str, Any]]:
        """The messages that are complete with this chunk.

        Raises:
            ProtocolError: a line is not a JSON object in UTF-8.
        """
        self._rest += chunk
        while True:
            end = self._rest.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._rest)
                return
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            self._searched = 0
            if line.strip():
                yield _message(line)


def _message(line: bytes) -> Dict[str, Any]:
    try:
        message = json.loads(line.decode("utf-8"))
    except ValueError as error:
        raise ProtocolError(f"the core wrote a line that is not JSON: {line[:80]!r}") from error
    if not isinstance(message, dict):
        raise ProtocolError(f"the core wrote a line that is not an object: {line[:80]!r}")
    return message
