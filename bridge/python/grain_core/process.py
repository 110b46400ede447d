"""The core as a child process: pipes, its log, and an end in any case."""

from __future__ import annotations

import subprocess
import threading
from collections import deque
from typing import IO, Callable, Deque, Mapping, Optional, Sequence

from .errors import CoreGone

_KEPT_LINES = 50


class CoreProcess:
    """A running ``grain-core --stdio``; its standard error is read all the time."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Optional[Mapping[str, str]] = None,
        on_log: Optional[Callable[[str], None]] = None,
    ) -> None:
        """Starts it.

        Raises:
            CoreGone: it could not be started; the words say why.
        """
        self._on_log = on_log
        self._log: Deque[str] = deque(maxlen=_KEPT_LINES)
        try:
            # Pipes are close-on-exec on our side: a leaked write end would hide the end of input.
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=None if environment is None else dict(environment),
            )
        except OSError as error:
            raise CoreGone.not_started(command[0], error) from error
        self._drain = threading.Thread(target=self._read_log, name="grain-core log", daemon=True)
        self._drain.start()

    @property
    def input(self) -> IO[bytes]:
        """Where messages go."""
        assert self._process.stdin is not None  # a pipe was asked for
        return self._process.stdin

    @property
    def output(self) -> IO[bytes]:
        """Where messages come from."""
        assert self._process.stdout is not None  # a pipe was asked for
        return self._process.stdout

    def end(self, patience: float = 5) -> int:
        """Waits for the process to end by itself, then insists; returns its exit code."""
        for insist in (None, self._process.terminate, self._process.kill):
            if insist is not None:
                insist()
            try:
                self._process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        self._drain.join(patience)
        return self._process.wait()

    def close_pipes(self) -> None:
        """Closes what is left open; after the threads that read it are done."""
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def gone(self) -> CoreGone:
        """What to tell whoever waits, once the core's output has ended."""
        try:
            code: Optional[int] = self._process.wait(2)
        except subprocess.TimeoutExpired:
            code = None
        self._drain.join(1)
        return CoreGone.ended(code, self._log)

    def _read_log(self) -> None:
        assert self._process.stderr is not None  # a pipe was asked for
        rest = b""
        while True:
            try:
                chunk = self._process.stderr.read(65536)
            except ValueError:  # closed under us by `end`
                chunk = b""
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._note(line)
        if rest:
            self._note(rest)

    def _note(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        self._log.append(text)
        if self._on_log is not None:
            self._on_log(text)
