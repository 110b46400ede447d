"""The client: a session with a core, its models, its effects, its operations."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from types import TracebackType
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
    cast,
)

from .callbacks import CallbackThread
from .connection import Answer, Connection, Params
from .effects import Effect, Handler, failed, perform, unknown_method
from .errors import CoreGone, Problem, ProtocolError, SubscriptionClosed
from .framing import LINES
from .process import CoreProcess
from .session import ALL_MODELS, KEPT_ENDINGS, instance, judged, opening
from .state import State
from .subscription import OnClosed, Subscription

if TYPE_CHECKING:
    from .typed import TypedClient


class Client:
    """One session with one core.

    Use it as a context manager: leaving the block shuts the core down in order.
    """

    def __init__(
        self,
        output: IO[bytes],
        input: IO[bytes],
        process: Optional[CoreProcess] = None,
        framing: str = LINES,
    ) -> None:
        """Talks over two byte streams, the core's output and its input; see :meth:`spawn`."""
        self._process = process
        self._identifiers = itertools.count(1)
        self._lock = threading.Lock()
        self._subscriptions: Dict[str, Subscription] = {}
        self._handlers: Dict[str, Handler] = {}
        self._declared: Dict[str, Dict[str, Any]] = {}
        self._effects: Dict[Any, Effect] = {}
        self._ended = threading.Condition(self._lock)
        self._endings: OrderedDict[str, Params] = OrderedDict()
        self._gone: Optional[CoreGone] = None
        self._frame: List[Tuple[Subscription, State]] = []
        self._on_ended: Optional[Callable[[Params], None]] = None
        self._on_progress: Optional[Callable[[Params], None]] = None
        self._callbacks = CallbackThread()
        reason = process.gone if process is not None else lambda: CoreGone("The core has ended.")
        self._connection = Connection(
            output, input, self._take, self._core_gone, reason, framing
        )
        self._connection.start()

    @classmethod
    def spawn(
        cls,
        command: Sequence[str] = ("grain-core", "--stdio"),
        environment: Optional[Mapping[str, str]] = None,
        on_log: Optional[Callable[[str], None]] = None,
        framing: str = LINES,
    ) -> Client:
        """Starts a core and talks to it.

        Args:
            command: the program and its arguments.
            environment: replaces this process's environment.
            on_log: gets each line the core logs; without it they are read and dropped.
            framing: ``lines``, or ``headers`` as `Content-Length` headers.

        Raises:
            CoreGone: the program cannot be started.
        """
        process = CoreProcess(command, environment, on_log)
        return cls(process.output, process.input, process, framing)

    # MARK: The session

    def on_effect(self, name: str, handler: Handler, version: int = 1, **declaration: Any) -> None:
        """Offers an effect; before :meth:`initialize`, which tells the core.

        The handler runs in a thread of its own. It returns the outcome, or a whole result.
        `declaration` is what the capability says besides the version, such as `presentations`.
        """
        self._handlers[name] = handler
        self._declared[name] = {"version": version, **declaration}

    def initialize(
        self,
        name: str,
        version: str,
        models: Iterable[str] = ALL_MODELS,
        locale: Optional[str] = None,
        on_ended: Optional[Callable[[Params], None]] = None,
        on_progress: Optional[Callable[[Params], None]] = None,
    ) -> Answer:
        """Opens the session; returns what the core is and can do.

        Args:
            name: the shell's name.
            version: the shell's version.
            models: the models it will use, all in version 1 of their schemas.
            locale: BCP 47, such as ``de-DE``.
            on_ended: gets the params of each ``operations/ended``.
            on_progress: gets the params of each ``$/progress``, and asks for them.

        Raises:
            Problem: ``protocol.unsupportedVersion``, ``store.locked`` and others.
        """
        self._on_ended, self._on_progress = on_ended, on_progress
        params = opening(
            name, version, models, locale, on_progress is not None, self._declared
        )
        result = self.call("initialize", params)
        self._connection.set_limit(result["limits"]["maxInFlight"])
        return result

    def call(
        self, method: str, params: Optional[Params] = None, timeout: float = 30, **members: Any
    ) -> Answer:
        """Sends a request and waits for its answer: an intent's verdict, a method's result.

        Params are given as a mapping, as keywords, or both. More requests than the core takes at
        once wait here, in the calling thread.

        Raises:
            Problem: the core refused.
            TimeoutError: no answer in `timeout` seconds; it will be ignored when it comes.
            CoreGone: the core ended first.
        """
        return self._connection.call(method, {**(params or {}), **members}, timeout)

    @property
    def typed(self) -> TypedClient:
        """This client, as type checkers see it through the schemas.

        ``core.typed.call("gallery.createDraft", {})["draft"]`` is a ``str``, and a method, a member
        or a model that does not exist is an error before the program runs.
        """
        return cast("TypedClient", self)

    # MARK: Models

    def subscribe(
        self,
        model: str,
        args: Optional[Mapping[str, str]] = None,
        on_change: Optional[Callable[[State], None]] = None,
        delivery: str = "merge",
        max_rate: int = 30,
        timeout: float = 30,
        on_closed: Optional[OnClosed] = None,
    ) -> Subscription:
        """Opens a subscription and waits for its first state.

        Args:
            model: the model's name.
            args: selects the instance of a parametrised model.
            on_change: gets every state in order, the first one included.
            delivery: ``merge`` or ``full``; the states are the same.
            max_rate: snapshots a second.
            timeout: seconds to wait for the first state.
            on_closed: told once that the core has ended it, with the reason.

        Raises:
            Problem: the core refused.
            TimeoutError: no state came in time; the subscription is given up.
        """
        identifier = f"{model}.{next(self._identifiers)}"
        subscription = Subscription(identifier, model, on_change, on_closed)
        with self._lock:  # before the request: the first snapshot may come right behind the answer
            self._subscriptions[identifier] = subscription
        params = {"subscription": identifier, **instance(model, args)}
        try:
            self.call("models/subscribe", params, timeout, delivery=delivery, maxRateHz=max_rate)
            subscription.wait(timeout=timeout)
        except BaseException as error:
            with self._lock:
                is_open = self._subscriptions.pop(identifier, None) is not None
            if is_open and not isinstance(error, (Problem, CoreGone)):
                self._post("models/unsubscribe", subscription)  # it may be open by now
            raise
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Ends a subscription; no state follows. One that is over already stays so."""
        with self._lock:  # before the request: what is under way already counts as following
            if self._subscriptions.pop(subscription.identifier, None) is None:
                return
        subscription.close(SubscriptionClosed("unsubscribed"))
        try:
            self.call("models/unsubscribe", subscription=subscription.identifier)
        except Problem as problem:
            if problem.kind != "protocol.unknownSubscription":  # the core has just ended it itself
                raise

    def get(self, model: str, args: Optional[Mapping[str, str]] = None) -> State:
        """Reads a model once."""
        state = self.call("models/get", instance(model, args)).get("state")
        if not isinstance(state, dict):
            raise ProtocolError("the answer to models/get has no state")
        return state

    # MARK: Operations

    def finish(self, operation: Union[str, Answer], timeout: float = 300) -> Params:
        """Waits for the end of an operation; returns the params of ``operations/ended``.

        Args:
            operation: its id, or the verdict that named it; a verdict without one is done already.
            timeout: seconds to wait.

        Raises:
            Problem: the operation failed.
            OperationCancelled: somebody stopped it.
            TimeoutError: it goes on after `timeout` seconds.
            CoreGone: the core ended first.
        """
        if not isinstance(operation, str):
            if "operation" not in operation:
                return {"outcome": "succeeded", "revisions": operation.get("revisions", {})}
            operation = str(operation["operation"])
        name = operation
        with self._ended:
            self._ended.wait_for(lambda: name in self._endings or self._gone is not None, timeout)
            ending = self._endings.get(name)
            if ending is None:
                if self._gone is not None:
                    raise self._gone.again()
                raise TimeoutError(f"{name} goes on after {timeout:g} s")
        return judged(name, ending)

    # MARK: The end

    def close(self, patience: float = 5) -> Optional[int]:
        """Shuts the core down in order: it saves its work, answers, and ends. May be called again.

        Returns:
            The exit code of a core that was spawned. One that does not end in time is ended.
        """
        try:
            self.call("shutdown", timeout=patience)
            self._connection.notify("exit")
        except (CoreGone, Problem, TimeoutError):
            pass  # closing its input says the same
        self._connection.close_input()
        code = self._process.end(patience) if self._process is not None else None
        self._connection.join(patience)
        if self._process is not None:
            self._process.close_pipes()
        else:
            self._connection.close_output()
        self._callbacks.end(patience)
        return code

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    # MARK: What the core sends on its own; the reading thread

    def _take(self, message: Dict[str, Any]) -> None:
        method, params = message["method"], message.get("params") or {}
        if method == "models/snapshot":
            self._snapshot(params)
        elif method == "models/closed":
            self._closed(params)
        elif method == "operations/ended":
            self._operation_ended(params)
        elif method == "$/progress":
            self._callbacks.later(self._on_progress, params)
        elif method == "$/cancelRequest":
            with self._lock:
                effect = self._effects.get(params["id"])
            if effect is not None:
                effect.withdrawn.set()
        elif method == "effects/perform" and "id" in message:
            self._effect_asked(message["id"], params)
        elif "id" in message:
            self._answer(message["id"], unknown_method(method))

    def _snapshot(self, params: Params) -> None:
        with self._lock:
            subscription = self._subscriptions.get(params["subscription"])
        if subscription is not None:
            if subscription.apply(params):
                self._frame.append((subscription, subscription.state))
            elif subscription.begins_resync():
                self._resync(subscription)
        if not params.get("more"):  # the frame is complete: all of it is of one instant
            self._show()

    def _show(self) -> None:
        for changed, state in self._frame:
            self._callbacks.later(changed.on_change, state)
        self._frame.clear()

    def _resync(self, subscription: Subscription) -> None:
        def refused(problem: Problem) -> None:
            subscription.resync_failed()
            # This request was over the core's limit, since the reading thread cannot wait for room.
            if problem.retryable and subscription.begins_resync():
                again = threading.Timer(problem.retry_after or 0.25, self._resync, (subscription,))
                again.daemon = True
                again.start()

        self._post("models/resync", subscription, refused)

    def _post(
        self,
        method: str,
        subscription: Subscription,
        on_refused: Optional[Callable[[Problem], None]] = None,
    ) -> None:
        try:
            self._connection.post(method, {"subscription": subscription.identifier}, on_refused)
        except CoreGone:
            pass  # everybody who waits learns it from the end of the output

    def _closed(self, params: Params) -> None:
        with self._lock:
            subscription = self._subscriptions.pop(params["subscription"], None)
        if subscription is not None:
            problem = Problem.from_state(params["problem"]) if "problem" in params else None
            closed = SubscriptionClosed(params["reason"], problem)
            subscription.close(closed)
            self._callbacks.later(subscription.on_closed, closed)

    def _operation_ended(self, params: Params) -> None:
        with self._ended:
            self._endings[params["operation"]] = params
            if len(self._endings) > KEPT_ENDINGS:
                self._endings.popitem(last=False)
            self._ended.notify_all()
        self._callbacks.later(self._on_ended, params)

    def _core_gone(self, error: CoreGone) -> None:
        with self._lock:
            self._gone = error
            subscriptions = list(self._subscriptions.values())
            effects = list(self._effects.values())
            self._ended.notify_all()
        self._show()
        for subscription in subscriptions:
            subscription.core_gone(error)
        for effect in effects:
            effect.withdrawn.set()

    # MARK: Effects, each in its own thread

    def _effect_asked(self, identifier: Any, params: Params) -> None:
        effect = Effect(identifier, params)
        with self._lock:
            self._effects[identifier] = effect
        threading.Thread(
            target=self._perform, args=(effect,), name=f"grain-core {effect.name}", daemon=True
        ).start()

    def _perform(self, effect: Effect) -> None:
        answer = perform(effect, self._handlers.get(effect.name))
        with self._lock:
            self._effects.pop(effect.identifier, None)
        self._answer(effect.identifier, answer)

    def _answer(self, identifier: Any, answer: Params) -> None:
        try:
            try:
                self._connection.write({"jsonrpc": "2.0", "id": identifier, **answer})
            except ValueError as error:  # an answer the core could not read
                self._connection.write({"jsonrpc": "2.0", "id": identifier, **failed(error)})
        except CoreGone:
            pass  # nobody is left to be told
