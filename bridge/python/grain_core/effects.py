"""What only a shell can do, asked for by the core (bridge-protocol §6)."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Mapping, Optional, Union

# The outcome, or the whole result.
Answered = Union[str, Mapping[str, Any]]
# Takes the effect, may take its time, and answers it.
Handler = Callable[["Effect"], Answered]

_ERRORS = {
    "effect.unsupported": (6001, False, "This window cannot do that."),
    "effect.failed": (6002, True, "That did not work on this computer. Try again."),
    "effect.denied": (6003, False, "This computer's settings do not allow that."),
    "effect.busy": (6004, True, "Another window is waiting for you. Finish there first."),
}


class Effect:
    """One request of the core, open until its handler returns.

    Attributes:
        name: such as ``auth.present``.
        args: what the core asks; the members are the effect's own.
        operation: id of the operation it serves.
        withdrawn: set when the core needs no answer any more; the handler should return soon.
    """

    def __init__(self, identifier: Any, params: Mapping[str, Any]) -> None:
        self.identifier = identifier
        self.name: str = params.get("effect", "")
        self.args: Dict[str, Any] = dict(params.get("args", {}))
        self.operation: Optional[str] = params.get("operation")
        self.withdrawn = threading.Event()


class EffectFailed(Exception):
    """Raised by a handler that could not do it. A person saying no is an outcome, not this."""

    def __init__(self, kind: str = "effect.failed") -> None:
        """`kind`: ``effect.failed``, ``effect.denied``, ``effect.busy``, ``effect.unsupported``."""
        if kind not in _ERRORS:
            raise ValueError(f"{kind} is no kind of effect error")
        self.kind = kind
        super().__init__(kind)


def perform(effect: Effect, handler: Optional[Handler]) -> Dict[str, Any]:
    """Runs the handler; the answer's ``result`` or ``error`` member comes back in any case."""
    if handler is None:
        return failed("effect.unsupported", "the shell has no handler for it")
    try:
        return answered(handler(effect))
    except Exception as error:  # the core must get its answer, whatever the handler did
        return failed(error)


def answered(outcome: Answered) -> Dict[str, Any]:
    """The ``result`` member for what a handler returned."""
    return {"result": {"outcome": outcome} if isinstance(outcome, str) else dict(outcome)}


def failed(reason: Union[str, Exception], summary: str = "") -> Dict[str, Any]:
    """The ``error`` member for a kind, or for what a handler raised."""
    if isinstance(reason, EffectFailed):
        return failed(reason.kind, "the shell's handler says so")
    if isinstance(reason, Exception):
        return failed("effect.failed", f"{type(reason).__name__} in the handler")
    code, retryable, words = _ERRORS[reason]
    return _error(code, reason, retryable, words, summary)


def cancelled() -> Dict[str, Any]:
    """The ``error`` member that answers an effect the core has withdrawn."""
    words = "That is not needed any more."
    return _error(-32800, "request.cancelled", False, words, "the handler was cancelled")


def unknown_method(method: Any) -> Dict[str, Any]:
    """The ``error`` member that answers a request no shell of this version knows."""
    summary = f"the shell knows no {method}"
    return _error(-32601, "rpc.unknownMethod", False, "Update the app.", summary)


def _error(code: int, kind: str, retryable: bool, words: str, summary: str) -> Dict[str, Any]:
    message = {"key": kind, "params": {}, "fallback": words}
    data = {"kind": kind, "retryable": retryable, "message": message}
    return {"error": {"code": code, "message": summary, "data": data}}
