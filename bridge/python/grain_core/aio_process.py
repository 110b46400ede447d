"""The core as a child process of an event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Callable, Deque, Mapping, Optional, Sequence

from .errors import CoreGone

_KEPT_LINES = 50


class AsyncCoreProcess:
    """A running ``grain-core --stdio``; its standard error is read all the time."""

    def __init__(
        self, process: asyncio.subprocess.Process, on_log: Optional[Callable[[str], None]]
    ) -> None:
        """Use :meth:`start`."""
        self._process = process
        self._on_log = on_log
        self._log: Deque[str] = deque(maxlen=_KEPT_LINES)
        self._drain = asyncio.ensure_future(self._read_log())

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Optional[Mapping[str, str]],
        on_log: Optional[Callable[[str], None]],
    ) -> AsyncCoreProcess:
        """Starts it.

        Raises:
            CoreGone: it could not be started; the words say why.
        """
        try:
            # Pipes are close-on-exec on our side: a leaked write end would hide the end of input.
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=None if environment is None else dict(environment),
            )
        except OSError as error:
            raise CoreGone.not_started(command[0], error) from error
        return cls(process, on_log)

    async def read(self) -> bytes:
        """The next bytes it wrote; none at the end."""
        assert self._process.stdout is not None  # a pipe was asked for
        with contextlib.suppress(OSError):  # a pipe that broke has ended
            return await self._process.stdout.read(65536)
        return b""

    def write(self, data: bytes) -> None:
        """Writes, now or as soon as the pipe takes it; a core that is gone gets nothing."""
        assert self._process.stdin is not None  # a pipe was asked for
        if not self._process.stdin.is_closing():
            self._process.stdin.write(data)

    def close_input(self) -> None:
        """Tells the core that nothing more will come."""
        assert self._process.stdin is not None  # a pipe was asked for
        self._process.stdin.close()

    async def end(self, patience: float) -> int:
        """Waits for the process to end by itself, then insists; returns its exit code."""
        self.close_input()
        for insist in (None, self._process.terminate, self._process.kill):
            if insist is not None:
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    insist()
            with contextlib.suppress(asyncio.TimeoutError):
                return await asyncio.wait_for(self._process.wait(), patience)
        return await self._process.wait()

    async def gone(self) -> CoreGone:
        """What to tell whoever waits, once the core's output has ended."""
        code: Optional[int] = None
        with contextlib.suppress(asyncio.TimeoutError):
            code = await asyncio.wait_for(self._process.wait(), 2)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._drain), 1)
        return CoreGone.ended(code, self._log)

    async def _read_log(self) -> None:
        assert self._process.stderr is not None  # a pipe was asked for
        rest = b""
        while True:
            chunk = await self._process.stderr.read(65536)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._note(line)
            if not chunk:
                break
        if rest:
            self._note(rest)

    def _note(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        self._log.append(text)
        if self._on_log is not None:
            self._on_log(text)
