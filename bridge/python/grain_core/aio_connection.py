"""Requests and answers on an event loop: the part of a client that knows no method."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from typing import Any, Callable, Deque, Dict, Mapping, Optional, Tuple

from .aio_process import AsyncCoreProcess
from .errors import CoreGone, Problem, ProtocolError
from .framing import MOST_MESSAGE_BYTES, MessageSplitter, encode
from .session import MOST_IN_FLIGHT, malformed, unreadable

Params = Mapping[str, Any]
Answer = Dict[str, Any]


class AsyncConnection:
    """Writes messages, reads them in a task of its own, and matches answers to requests."""

    def __init__(
        self,
        process: AsyncCoreProcess,
        framing: str,
        on_message: Callable[[Dict[str, Any]], None],
        on_gone: Callable[[CoreGone], None],
    ) -> None:
        """Call :meth:`start` once everything is ready for the first message.

        Args:
            process: the core.
            framing: ``lines`` or ``headers``.
            on_message: gets every message that is no answer.
            on_gone: called once, when nothing more will come.
        """
        self.gone: Optional[CoreGone] = None
        self._process = process
        self._framing = framing
        self._on_message = on_message
        self._on_gone = on_gone
        self._identifiers = itertools.count(1)
        self._limit = MOST_IN_FLIGHT
        self._pending: Dict[Any, asyncio.Future[Answer]] = {}
        self._waiting: Deque[Tuple[int, bytes, asyncio.Future[Answer]]] = deque()
        self._reader: Optional[asyncio.Task[None]] = None

    def start(self) -> None:
        """Begins to read."""
        self._reader = asyncio.ensure_future(self._read())

    def set_limit(self, requests: int) -> None:
        """How many requests may be unanswered; more are held back."""
        self._limit = max(1, requests)
        self._release()

    def ask(self, method: str, params: Params) -> asyncio.Future[Answer]:
        """Sends a request, now or when the core has room: in the order of the calls.

        Raises:
            CoreGone: the core has ended.
            ValueError: the core could not read the request; it was not sent.
        """
        if self.gone is not None:
            raise self.gone.again()
        identifier = next(self._identifiers)
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        data = encode(message, self._framing, MOST_MESSAGE_BYTES)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((identifier, data, answer))
        self._release()
        return answer

    def post(
        self, method: str, params: Params, on_refused: Optional[Callable[[Problem], None]] = None
    ) -> None:
        """Sends a request whose answer nobody waits for; `on_refused` is told of a refusal."""

        def answered(answer: asyncio.Future[Answer]) -> None:
            # Taken, so that nobody warns about it.
            error = None if answer.cancelled() else answer.exception()
            if on_refused is not None and isinstance(error, Problem):
                on_refused(error)

        with contextlib.suppress(CoreGone):  # everybody who waits learns it anyway
            self.ask(method, params).add_done_callback(answered)

    def write(self, message: Params) -> None:
        """Writes a message that gets no answer; nobody is told if the core is gone."""
        if self.gone is None:
            self._process.write(encode({"jsonrpc": "2.0", **message}, self._framing))

    async def end(self, patience: float) -> int:
        """Waits for the core to end, then insists; returns its exit code."""
        code = await self._process.end(patience)
        if self._reader is not None:
            # A program the core left behind may hold its pipes open; the core itself is gone.
            await asyncio.wait({self._reader}, timeout=patience)
            self._reader.cancel()
        return code

    def _release(self) -> None:
        while self._waiting and len(self._pending) < self._limit:
            identifier, data, answer = self._waiting.popleft()
            if not answer.cancelled():
                self._pending[identifier] = answer
                self._process.write(data)

    # MARK: The reading task

    async def _read(self) -> None:
        splitter = MessageSplitter(self._framing)
        while True:
            chunk = await self._process.read()
            if not chunk:
                break
            try:
                if self.gone is None:
                    for message in splitter.feed(chunk):
                        self._take(message)
            except ProtocolError as fault:
                self._end(CoreGone(str(fault)))  # reading goes on: the core must be able to end
        if self.gone is None:
            self._end(await self._process.gone())

    def _take(self, message: Dict[str, Any]) -> None:
        try:
            if "method" in message:
                self._on_message(message)
            else:
                self._answered(message)
        except (KeyError, TypeError, AttributeError) as error:
            raise ProtocolError(malformed(error)) from error

    def _answered(self, message: Dict[str, Any]) -> None:
        if message.get("id") is None and "error" in message:
            raise ProtocolError(unreadable(message["error"]))
        answer = self._pending.pop(message.get("id"), None)
        self._release()
        if answer is None or answer.done():
            return  # nobody waits for it, or nobody waits any more
        if "error" in message:
            answer.set_exception(Problem.from_error(message["error"]))
        else:
            answer.set_result(message.get("result", {}))

    def _end(self, gone: CoreGone) -> None:
        self.gone = gone
        self._process.close_input()
        for answer in (*self._pending.values(), *(waiting[2] for waiting in self._waiting)):
            give_up(answer, gone)
        self._pending.clear()
        self._waiting.clear()
        self._on_gone(gone)


def give_up(promise: asyncio.Future[Any], gone: CoreGone) -> None:
    """Tells whoever waits; a caller that does not come back for it is not warned about."""
    if not promise.done():
        promise.set_exception(gone.again())
        promise.exception()
