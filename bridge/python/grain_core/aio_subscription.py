"""One model instance, as the core last showed it, on an event loop."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Callable, Mapping, Optional

from .errors import CoreGone, SubscriptionClosed
from .state import HeldState, State
from .subscription import OnClosed


class AsyncSubscription:
    """Holds the latest state of one model instance: ``async for state in subscription``.

    States are replaced, never changed in place. A reader that is slow gets the newest, as a screen
    does. The loop ends with the instance, and raises where the core ended.
    """

    def __init__(
        self,
        identifier: str,
        model: str,
        on_change: Optional[Callable[[State], None]] = None,
        on_closed: Optional[OnClosed] = None,
    ) -> None:
        """Use :meth:`AsyncClient.subscribe`, which also tells the core."""
        self.identifier = identifier
        self.model = model
        self.on_change = on_change
        self.on_closed = on_closed
        self.closed: Optional[SubscriptionClosed] = None
        self._held = HeldState(model)
        self._shown = 0
        self._gone: Optional[CoreGone] = None
        self._changed = asyncio.Event()

    @property
    def state(self) -> State:
        """The latest state.

        Raises:
            LookupError: none has arrived yet; see :meth:`wait`.
        """
        if self._held.value is None:
            raise LookupError(f"no snapshot of {self.model} has arrived yet")
        return self._held.value

    @property
    def revision(self) -> int:
        """The revision of :attr:`state`; 0 before the first."""
        return self._held.revision

    async def __aiter__(self) -> AsyncIterator[State]:
        seen = 0
        while True:
            if seen != self._shown:
                seen = self._shown
                yield self.state
            elif self._gone is not None:
                raise self._gone.again()
            elif self.closed is not None:
                return
            else:
                await self._changed.wait()

    async def wait(self, condition: Callable[[State], Any] = lambda state: True) -> State:
        """The first state from now on, the present one included, that meets a condition.

        Raises:
            SubscriptionClosed: the instance ended first.
            CoreGone: the core ended first.
        """
        async for state in self:
            if condition(state):
                return state
        assert self.closed is not None  # the loop ends for no other reason
        raise SubscriptionClosed(self.closed.reason, self.closed.problem)

    # What follows is for the client.

    def apply(self, params: Mapping[str, Any]) -> bool:
        """Takes a ``models/snapshot``; see :meth:`HeldState.apply`."""
        return self._held.apply(params)

    def begins_resync(self) -> bool:
        """Whether a whole state has to be asked for now; see :meth:`HeldState.begins_resync`."""
        return self.closed is None and self._held.begins_resync()

    def resync_failed(self) -> None:
        """No whole state is on its way: the next message that does not fit asks again."""
        self._held.is_resyncing = False

    def show(self, state: State) -> None:
        """Tells readers of the state that is held; once a frame."""
        self._shown += 1
        self._wake()
        if self.on_change is not None:
            self.on_change(state)

    def end(self, reason: Exception) -> None:
        """Ends it: with the instance, or with the core."""
        if isinstance(reason, SubscriptionClosed):
            self.closed = self.closed or reason
        elif isinstance(reason, CoreGone):
            self._gone = reason
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
