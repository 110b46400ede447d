"""Requests and answers over two byte streams: the part of a client that knows no method."""

from __future__ import annotations

import itertools
import os
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import IO, Any, Callable, Dict, Mapping, Optional

from .errors import CoreGone, Problem, ProtocolError
from .framing import LINES, MOST_MESSAGE_BYTES, MessageSplitter, encode
from .session import MOST_IN_FLIGHT, malformed, unreadable

Params = Mapping[str, Any]
Answer = Dict[str, Any]


class Connection:
    """Writes messages, reads them in a thread of its own, and matches answers to requests."""

    def __init__(
        self,
        output: IO[bytes],
        input: IO[bytes],
        on_message: Callable[[Dict[str, Any]], None],
        on_gone: Callable[[CoreGone], None],
        reason: Callable[[], CoreGone],
        framing: str = LINES,
    ) -> None:
        """Call :meth:`start` once everything is ready for the first message.

        Args:
            output: what the core writes; a real file, read by its descriptor.
            input: what the core reads.
            on_message: gets every message that is no answer, in the reading thread.
            on_gone: called once, when the output has ended.
            reason: says why the output has ended.
            framing: ``lines`` or ``headers``.
        """
        self._output = output
        self._input = input
        self._on_message = on_message
        self._on_gone = on_gone
        self._reason = reason
        self._framing = framing
        self._identifiers = itertools.count(1)
        self._room = threading.Condition()
        self._writing = threading.Lock()
        self._limit = MOST_IN_FLIGHT
        self._pending: Dict[Any, Future[Answer]] = {}
        self._gone: Optional[CoreGone] = None
        self._reader = threading.Thread(target=self._read, name="grain-core reader", daemon=True)

    def start(self) -> None:
        """Begins to read."""
        self._reader.start()

    def join(self, timeout: float) -> None:
        """Waits for the end of the output; does nothing in the reading thread itself."""
        if threading.current_thread() is not self._reader:
            self._reader.join(timeout)

    def set_limit(self, requests: int) -> None:
        """How many requests may be unanswered; more wait in :meth:`call`."""
        with self._room:
            self._limit = max(1, requests)
            self._room.notify_all()

    def call(self, method: str, params: Params, timeout: float) -> Answer:
        """Sends a request and waits for its answer.

        Raises:
            Problem: the core refused.
            TimeoutError: no answer in time; it will be ignored when it comes.
            CoreGone: the core ended first.
            ValueError: the core could not read the request; it was not sent.
        """
        deadline = time.monotonic() + timeout
        answer: Future[Answer] = Future()
        with self._room:
            is_free = self._room.wait_for(
                lambda: self._gone is not None or len(self._pending) < self._limit, timeout
            )
            if not is_free:
                raise TimeoutError(f"{method} was not sent: too many requests are unanswered")
            identifier = self._register(answer)
        self._send_request(identifier, method, params)
        try:
            return answer.result(max(0.0, deadline - time.monotonic()))
        except FutureTimeout as error:
            raise TimeoutError(f"{method} was not answered in {timeout:g} s") from error

    def post(
        self,
        method: str,
        params: Params,
        on_refused: Optional[Callable[[Problem], None]] = None,
    ) -> None:
        """Sends a request whose answer nobody waits for; works in the reading thread as well.

        Args:
            method: what to ask.
            params: with what.
            on_refused: told of a refusal, in the reading thread.

        Raises:
            CoreGone: the core has ended.
        """
        answer: Future[Answer] = Future()

        def answered(future: Future[Answer]) -> None:
            error = future.exception()
            if on_refused is not None and isinstance(error, Problem):
                on_refused(error)

        answer.add_done_callback(answered)
        with self._room:
            identifier = self._register(answer)
        self._send_request(identifier, method, params)

    def notify(self, method: str) -> None:
        """Sends a notification without params."""
        self.write({"jsonrpc": "2.0", "method": method, "params": {}})

    def write(self, message: Params) -> None:
        """Writes one message; messages of several threads never mix.

        Raises:
            CoreGone: the core has ended.
        """
        line = memoryview(encode(message, self._framing, MOST_MESSAGE_BYTES))
        with self._writing:
            try:
                while line:
                    line = line[self._input.write(line) :]
                self._input.flush()
            except (OSError, ValueError) as error:
                gone = self._gone or CoreGone("The core takes no more messages.")
                raise gone.again() from error

    def close_input(self) -> None:
        """Tells the core that nothing more will come."""
        with self._writing:
            try:
                self._input.close()
            except OSError:
                pass  # the core has closed its end already

    def close_output(self) -> None:
        """Lets go of what the core writes, once the reading thread has."""
        if not self._reader.is_alive():
            self._output.close()

    def _register(self, answer: Future[Answer]) -> int:
        if self._gone is not None:
            raise self._gone.again()
        identifier = next(self._identifiers)
        self._pending[identifier] = answer
        return identifier

    def _send_request(self, identifier: int, method: str, params: Params) -> None:
        try:
            self.write({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
        except BaseException:
            with self._room:
                self._pending.pop(identifier, None)
                self._room.notify()
            raise

    # MARK: The reading thread

    def _read(self) -> None:
        try:
            self._read_messages()
            error = self._reason()
        except ProtocolError as fault:
            error = CoreGone(str(fault))
        with self._room:
            self._gone = error
            answers = list(self._pending.values())
            self._pending.clear()
            self._room.notify_all()
        for answer in answers:
            answer.set_exception(error.again())
        self._on_gone(error)

    def _read_messages(self) -> None:
        splitter = MessageSplitter(self._framing)
        while True:
            try:
                chunk = os.read(self._output.fileno(), 65536)
            except (OSError, ValueError):
                return  # the stream was closed under us
            if not chunk:
                return
            for message in splitter.feed(chunk):
                try:
                    self._take(message)
                except (KeyError, TypeError, AttributeError) as error:
                    raise ProtocolError(malformed(error)) from error

    def _take(self, message: Dict[str, Any]) -> None:
        if "method" in message:
            self._on_message(message)
            return
        if message.get("id") is None and "error" in message:
            raise ProtocolError(unreadable(message["error"]))
        with self._room:
            answer = self._pending.pop(message.get("id"), None)
            self._room.notify()
        if answer is None:
            return  # nobody waits for it, or nobody waits any more
        if "error" in message:
            answer.set_exception(Problem.from_error(message["error"]))
        else:
            answer.set_result(message.get("result", {}))
