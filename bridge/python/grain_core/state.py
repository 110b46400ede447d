"""The state of one model instance, as snapshots build it; knows no thread and no loop."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from .errors import ProtocolError
from .merge import merge_patch, state_digest

State = Dict[str, Any]


class HeldState:
    """What a subscription holds. States are replaced, never changed in place."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.value: Optional[State] = None
        self.revision = 0
        self.is_resyncing = False

    def apply(self, params: Mapping[str, Any]) -> bool:
        """Takes a ``models/snapshot``.

        Returns:
            False if it does not continue what is held: then the state stays as it was, and the
            client asks for a full one.

        Raises:
            ProtocolError: a full state is not the one its digest names.
        """
        if "state" in params:
            state = params["state"]
        elif self.value is not None and params.get("base") == self.revision:
            state = merge_patch(self.value, params["merge"])
        else:
            return False
        if "digest" in params and params["digest"] != state_digest(state):
            if "state" in params:
                raise ProtocolError(f"the state of {self.model} is not that of its digest")
            return False
        self.value = state
        self.revision = params["revision"]
        if "state" in params:
            self.is_resyncing = False
        return True

    def begins_resync(self) -> bool:
        """Whether a whole state has to be asked for now: it is not on its way already."""
        is_first = not self.is_resyncing
        self.is_resyncing = True
        return is_first
