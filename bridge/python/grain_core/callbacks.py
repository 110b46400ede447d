"""The thread on which a client calls back."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, Optional


class CallbackThread:
    """Calls back one after another, in the order of the events, and not on the thread that reads."""

    def __init__(self) -> None:
        """Starts it; it ends with the program at the latest."""
        self._calls: queue.SimpleQueue[Optional[Callable[[], None]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="grain-core callbacks", daemon=True)
        self._thread.start()

    def later(self, callback: Optional[Callable[[Any], None]], value: Any) -> None:
        """Calls back with a value after all that waits already; without a callback nothing happens."""
        if callback is not None:
            call = callback
            self._calls.put(lambda: call(value))

    def end(self, patience: float) -> None:
        """Waits so many seconds for what is still to be called; a callback itself does not wait."""
        if threading.current_thread() is not self._thread:
            self._calls.put(None)
            self._thread.join(patience)

    def _run(self) -> None:
        while True:
            call = self._calls.get()
            if call is None:
                return
            try:
                call()
            except Exception as error:  # one callback's fault must not silence the others
                place = threading.current_thread()
                threading.excepthook(
                    threading.ExceptHookArgs((type(error), error, error.__traceback__, place))
                )
