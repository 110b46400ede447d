"""What a session says whoever speaks it: the opening, subscriptions, endings."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Mapping, Optional

from .errors import OperationCancelled, Problem
from .grain_core_types import MODEL_SCHEMAS

ALL_MODELS = ("login", "accounts", "drafts", "galleryPublish")

# What every core takes at once, until `initialize` says its own figure (bridge-protocol §8).
MOST_IN_FLIGHT = 64
KEPT_ENDINGS = 1000


def opening(
    name: str,
    version: str,
    models: Iterable[str],
    locale: Optional[str],
    progress: bool,
    effects: Mapping[str, Any],
) -> Dict[str, Any]:
    """The params of ``initialize``."""
    client: Dict[str, Any] = {"name": name, "version": version, "processId": os.getpid()}
    if locale is not None:
        client["locale"] = locale
    return {
        "protocolVersions": [1],
        "client": client,
        "capabilities": {
            "delivery": ["merge", "full"],
            "progress": progress,
            "effects": dict(effects),
        },
        "models": [{"model": model, "schemas": [MODEL_SCHEMAS[model]]} for model in models],
    }


def instance(model: str, args: Optional[Mapping[str, str]]) -> Dict[str, Any]:
    """The members that name one instance of a model."""
    return {"model": model, "args": dict(args)} if args else {"model": model}


def judged(name: str, ending: Mapping[str, Any]) -> Mapping[str, Any]:
    """The ending of an operation that succeeded.

    Raises:
        Problem: it failed.
        OperationCancelled: somebody stopped it.
    """
    if ending["outcome"] == "failed":
        raise Problem.from_state(ending.get("problem", {}))
    if ending["outcome"] == "cancelled":
        raise OperationCancelled(name)
    return ending


def malformed(error: Exception) -> str:
    """The words for a message that is JSON but not of the protocol."""
    return f"the core sent a malformed message: {error!r}"


def unreadable(error: Any) -> str:
    """The words for an error without an id: one request will never be answered."""
    kind = Problem.from_error(error).kind
    return f"the core could not read a message ({kind})"
