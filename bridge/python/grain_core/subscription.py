"""One model instance, as the core last showed it."""

from __future__ import annotations

import threading
from typing import Any, Callable, Mapping, Optional

from .errors import CoreGone, SubscriptionClosed
from .state import HeldState, State

OnClosed = Callable[[SubscriptionClosed], None]


class Subscription:
    """Holds the latest state of one model instance and lets callers wait for it.

    States are replaced, never changed in place: one you hold stays what it was.
    """

    def __init__(
        self,
        identifier: str,
        model: str,
        on_change: Optional[Callable[[State], None]] = None,
        on_closed: Optional[OnClosed] = None,
    ) -> None:
        """Use :meth:`Client.subscribe`, which also tells the core."""
        self.identifier = identifier
        self.model = model
        self.on_change = on_change
        self.on_closed = on_closed
        self._held = HeldState(model)
        self._closed: Optional[SubscriptionClosed] = None
        self._gone: Optional[CoreGone] = None
        self._changed = threading.Condition()

    @property
    def state(self) -> State:
        """The latest state.

        Raises:
            LookupError: none has arrived yet; see :meth:`wait`.
        """
        with self._changed:
            if self._held.value is None:
                raise LookupError(f"no snapshot of {self.model} has arrived yet")
            return self._held.value

    @property
    def revision(self) -> int:
        """The revision of :attr:`state`; 0 before the first."""
        with self._changed:
            return self._held.revision

    @property
    def closed(self) -> Optional[SubscriptionClosed]:
        """Why it is over; nothing while it is not."""
        with self._changed:
            return self._closed

    def wait(
        self, condition: Callable[[State], Any] = lambda state: True, timeout: float = 30
    ) -> State:
        """The first state from now on, the present one included, that meets a condition.

        A state that a newer one replaced before this thread looked may be missed, as on a screen.

        Raises:
            TimeoutError: none came in `timeout` seconds.
            SubscriptionClosed: the instance ended first.
            CoreGone: the core ended first.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_over() or self._meets(condition), timeout)
            if self._held.value is not None and self._meets(condition):
                return self._held.value
            if self._gone is not None:
                raise self._gone.again()
            if self._closed is not None:
                raise SubscriptionClosed(self._closed.reason, self._closed.problem)
            phase = self._held.value.get("phase") if self._held.value else "nothing yet"
            raise TimeoutError(f"{self.model} still shows {phase} after {timeout:g} s")

    def _meets(self, condition: Callable[[State], Any]) -> bool:
        return self._held.value is not None and bool(condition(self._held.value))

    def _is_over(self) -> bool:
        return self._gone is not None or self._closed is not None

    # What follows is for the client's reading thread.

    def apply(self, params: Mapping[str, Any]) -> bool:
        """Takes a ``models/snapshot``.

        Returns:
            False if it does not continue what is held: then the state stays as it was, and the
            client asks for a full one.

        Raises:
            ProtocolError: a full state is not the one its digest names.
        """
        with self._changed:
            is_next = self._held.apply(params)
            self._changed.notify_all()
            return is_next

    def begins_resync(self) -> bool:
        """Whether a whole state has to be asked for now; see :meth:`HeldState.begins_resync`."""
        with self._changed:
            return self._closed is None and self._held.begins_resync()

    def resync_failed(self) -> None:
        """No whole state is on its way: the next message that does not fit asks again."""
        with self._changed:
            self._held.is_resyncing = False

    def close(self, closed: SubscriptionClosed) -> None:
        """Takes a ``models/closed``, or the shell's own end of it."""
        with self._changed:
            self._closed = self._closed or closed
            self._changed.notify_all()

    def core_gone(self, error: CoreGone) -> None:
        """Wakes everybody who waits for a state that cannot come any more."""
        with self._changed:
            self._gone = error
            self._changed.notify_all()
