"""What can go wrong between a shell and its core."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional


class Problem(Exception):
    """The core refused something, or an operation failed (bridge-protocol §7).

    Programs decide by `kind`. People read :attr:`words`, or the translation of `key`.

    Attributes:
        kind: stable machine name, such as ``login.handleInvalid``.
        code: the registered number of the kind.
        retryable: whether the same call may succeed later without changes.
        key: name of the sentence in a shell's catalogue.
        params: what the sentence mentions.
        words: the sentence in English.
        field: JSON Pointer of the parameter at fault.
        retry_after: seconds the server asked to wait.
        details: facts for programs, by kind.
        cause: the kind of failure behind this one.
    """

    def __init__(self, code: int, data: Mapping[str, Any]) -> None:
        """Reads the members of a problem, or of the ``data`` of a JSON-RPC error."""
        message = data.get("message")
        message = message if isinstance(message, Mapping) else {}
        self.code = code
        self.kind: str = data.get("kind", "unknown")
        self.retryable: bool = data.get("retryable", False)
        self.key: str = message.get("key", self.kind)
        self.params: Mapping[str, Any] = message.get("params", {})
        self.words: str = message.get("fallback", "Something went wrong.")
        self.field: Optional[str] = data.get("field")
        after = data.get("retryAfterMs")
        self.retry_after: Optional[float] = None if after is None else after / 1000
        self.details: Mapping[str, Any] = data.get("details", {})
        self.cause: Optional[str] = data.get("cause")
        super().__init__(f"{self.kind}: {self.words}")

    @classmethod
    def from_state(cls, problem: Mapping[str, Any]) -> Problem:
        """A ``problem`` member of a state or of ``operations/ended``."""
        return cls(problem.get("code", 0), problem)

    @classmethod
    def from_error(cls, error: Mapping[str, Any]) -> Problem:
        """A JSON-RPC error object."""
        data = error.get("data")
        return cls(error.get("code", 0), data if isinstance(data, Mapping) else {})


class OperationCancelled(Exception):
    """An operation ended because somebody stopped it; nothing went wrong."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        super().__init__(f"{operation} was cancelled")


class SubscriptionClosed(Exception):
    """The model instance has ended, and its subscription with it.

    Attributes:
        reason: ``gone``, ``signedOut``, ``tooLarge`` or ``internal``.
        problem: why, where the core says so.
    """

    def __init__(self, reason: str, problem: Optional[Problem] = None) -> None:
        self.reason = reason
        self.problem = problem
        super().__init__(problem.words if problem else f"the subscription ended: {reason}")


class ProtocolError(Exception):
    """The core sent what the protocol does not allow: a bug on one of the two sides."""


# What the core's exit codes say (bridge-protocol §3.3).
_MEANINGS = {
    0: "it ended in order",
    1: "it failed; its log says why",
    64: "its command line is wrong",
    65: "it lost track of where messages begin",
    69: "something it needs is not available",
    70: "a fault of its own",
    75: "nobody read what it wrote",
    143: "it was told twice to end",
}


class CoreGone(Exception):
    """The core has ended, or could not be started.

    Attributes:
        exit_code: of the process, negative if a signal ended it; None where it is not known.
        last_log: the last lines it logged, newest last.
    """

    def __init__(
        self, words: str, exit_code: Optional[int] = None, last_log: tuple[str, ...] = ()
    ) -> None:
        self.exit_code = exit_code
        self.last_log = last_log
        super().__init__(words)

    @classmethod
    def ended(cls, code: Optional[int], last_log: Iterable[str]) -> CoreGone:
        """The words for a process that ended with this code, or by a signal."""
        if code is None:
            words = "The core has ended."
        elif code < 0:
            words = f"The core has ended: killed by signal {-code}."
        else:
            meaning = _MEANINGS.get(code, "no code of its own")
            words = f"The core has ended (exit {code}): {meaning}."
        return cls(words, code, tuple(last_log))

    @classmethod
    def not_started(cls, program: str, error: OSError) -> CoreGone:
        """The words for a program that cannot be run."""
        if isinstance(error, FileNotFoundError):
            return cls(f"There is no program “{program}”. Is grain-core installed?")
        return cls(f"“{program}” cannot be started: {error.strerror}")

    def again(self) -> CoreGone:
        """The same for another thread: a raised exception belongs to the one that raised it."""
        return CoreGone(str(self), self.exit_code, self.last_log)
