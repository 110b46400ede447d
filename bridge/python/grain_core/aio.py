"""The same client for asyncio: a session with a core on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections import OrderedDict
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    Union,
    cast,
)

from .aio_connection import Answer, AsyncConnection, Params, give_up
from .aio_process import AsyncCoreProcess
from .aio_subscription import AsyncSubscription
from .effects import Answered, answered, cancelled, failed, unknown_method
from .errors import CoreGone, Problem, ProtocolError, SubscriptionClosed
from .framing import LINES
from .session import ALL_MODELS, KEPT_ENDINGS, instance, judged, opening
from .state import State
from .subscription import OnClosed

if TYPE_CHECKING:
    from .typed import TypedAsyncClient


class AsyncEffect:
    """One request of the core for what only a shell can do.

    Attributes:
        name: such as ``auth.present``.
        args: what the core asks; the members are the effect's own.
        operation: id of the operation it serves.
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.name: str = params.get("effect", "")
        self.args: Dict[str, Any] = dict(params.get("args", {}))
        self.operation: Optional[str] = params.get("operation")


# Gives the outcome or the whole result; is cancelled when the core needs no answer any more.
AsyncHandler = Callable[[AsyncEffect], Union[Answered, Awaitable[Answered]]]


class AsyncClient:
    """One session with one core; everything of it happens on one event loop.

    Use :meth:`spawn`, and it as an asynchronous context manager: leaving the block shuts the core
    down in order. Give waits an end with :func:`asyncio.wait_for`.
    """

    def __init__(self, process: AsyncCoreProcess, framing: str = LINES) -> None:
        """Use :meth:`spawn`."""
        self._connection = AsyncConnection(process, framing, self._take, self._core_gone)
        self._identifiers = itertools.count(1)
        self._subscriptions: Dict[str, AsyncSubscription] = {}
        self._frame: List[AsyncSubscription] = []
        self._handlers: Dict[str, AsyncHandler] = {}
        self._declared: Dict[str, Dict[str, Any]] = {}
        self._effects: Dict[Any, asyncio.Task[Answer]] = {}
        self._endings: OrderedDict[str, Params] = OrderedDict()
        self._finishing: Dict[str, asyncio.Future[Params]] = {}
        self._on_ended: Optional[Callable[[Params], None]] = None
        self._on_progress: Optional[Callable[[Params], None]] = None
        self._connection.start()

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str] = ("grain-core", "--stdio"),
        environment: Optional[Mapping[str, str]] = None,
        on_log: Optional[Callable[[str], None]] = None,
        framing: str = LINES,
    ) -> AsyncClient:
        """Starts a core and talks to it; the arguments are those of :meth:`Client.spawn`.

        Raises:
            CoreGone: the program cannot be started.
        """
        return cls(await AsyncCoreProcess.start(command, environment, on_log), framing)

    # MARK: The session

    def on_effect(
        self, name: str, handler: AsyncHandler, version: int = 1, **declaration: Any
    ) -> None:
        """Offers an effect; before :meth:`initialize`, which tells the core.

        The handler, a coroutine function or a plain one, returns the outcome or a whole result. It
        may take as long as the person does, and is cancelled when the core needs no answer any more.
        """
        self._handlers[name] = handler
        self._declared[name] = {"version": version, **declaration}

    async def initialize(
        self,
        name: str,
        version: str,
        models: Iterable[str] = ALL_MODELS,
        locale: Optional[str] = None,
        on_ended: Optional[Callable[[Params], None]] = None,
        on_progress: Optional[Callable[[Params], None]] = None,
    ) -> Answer:
        """Opens the session; the arguments are those of :meth:`Client.initialize`.

        Raises:
            Problem: ``protocol.unsupportedVersion``, ``store.locked`` and others.
        """
        self._on_ended, self._on_progress = on_ended, on_progress
        params = opening(
            name, version, models, locale, on_progress is not None, self._declared
        )
        result = await self.call("initialize", params)
        self._connection.set_limit(result["limits"]["maxInFlight"])
        return result

    async def call(self, method: str, params: Optional[Params] = None, **members: Any) -> Answer:
        """Sends a request and waits for its answer: an intent's verdict, a method's result.

        Requests are sent in the order of the calls; more than the core takes at once are held back.

        Raises:
            Problem: the core refused.
            CoreGone: the core ended first.
            ValueError: the core could not read the request; it was not sent.
        """
        return await self._connection.ask(method, {**(params or {}), **members})

    @property
    def typed(self) -> TypedAsyncClient:
        """This client, as type checkers see it through the schemas; see :attr:`Client.typed`."""
        return cast("TypedAsyncClient", self)

    # MARK: Models

    async def subscribe(
        self,
        model: str,
        args: Optional[Mapping[str, str]] = None,
        on_change: Optional[Callable[[State], None]] = None,
        delivery: str = "merge",
        max_rate: int = 30,
        on_closed: Optional[OnClosed] = None,
    ) -> AsyncSubscription:
        """Opens a subscription and waits for its first state; arguments as in the plain client.

        Raises:
            Problem: the core refused.
        """
        identifier = f"{model}.{next(self._identifiers)}"
        subscription = AsyncSubscription(identifier, model, on_change, on_closed)
        # Before the request: the first snapshot may come right behind the answer.
        self._subscriptions[identifier] = subscription
        params = {"subscription": identifier, **instance(model, args)}
        try:
            await self.call("models/subscribe", params, delivery=delivery, maxRateHz=max_rate)
            await subscription.wait()
        except BaseException as error:
            is_open = self._subscriptions.pop(identifier, None) is not None
            if is_open and isinstance(error, asyncio.CancelledError):
                self._connection.post("models/unsubscribe", {"subscription": identifier})
            raise
        return subscription

    async def unsubscribe(self, subscription: AsyncSubscription) -> None:
        """Ends a subscription; no state follows. One that is over already stays so."""
        if self._subscriptions.pop(subscription.identifier, None) is not None:
            subscription.end(SubscriptionClosed("unsubscribed"))
            try:
                await self.call("models/unsubscribe", subscription=subscription.identifier)
            except Problem as problem:
                if problem.kind != "protocol.unknownSubscription":  # the core has just ended it
                    raise

    async def get(self, model: str, args: Optional[Mapping[str, str]] = None) -> State:
        """Reads a model once."""
        state = (await self.call("models/get", instance(model, args))).get("state")
        if not isinstance(state, dict):
            raise ProtocolError("the answer to models/get has no state")
        return state

    # MARK: Operations

    async def finish(self, operation: Union[str, Answer]) -> Params:
        """Waits for the end of an operation; returns the params of ``operations/ended``.

        Args:
            operation: its id, or the verdict that named it; a verdict without one is done already.

        Raises:
            Problem: the operation failed.
            OperationCancelled: somebody stopped it.
            CoreGone: the core ended first.
        """
        if not isinstance(operation, str):
            if "operation" not in operation:
                return {"outcome": "succeeded", "revisions": operation.get("revisions", {})}
            operation = str(operation["operation"])
        ending = self._endings.get(operation)
        if ending is None:
            if self._connection.gone is not None:
                raise self._connection.gone.again()
            promise: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
            waiting = self._finishing.setdefault(operation, promise)
            ending = await asyncio.shield(waiting)  # another may wait for the same
        return judged(operation, ending)

    # MARK: The end

    async def close(self, patience: float = 5) -> Optional[int]:
        """Shuts the core down in order; returns its exit code. One that does not end is ended.

        May be called again.
        """
        try:
            await asyncio.wait_for(self.call("shutdown"), patience)
            self._connection.write({"method": "exit", "params": {}})
        except (CoreGone, Problem, asyncio.TimeoutError):
            pass  # closing its input says the same
        return await self._connection.end(patience)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    # MARK: What the core sends

    def _take(self, message: Dict[str, Any]) -> None:
        method, params = message["method"], message.get("params") or {}
        identifier = message.get("id")
        if method == "models/snapshot":
            self._snapshot(params)
        elif method == "models/closed":
            self._closed(params)
        elif method == "operations/ended":
            self._operation_ended(params)
        elif method == "$/progress":
            self._tell(self._on_progress, params)
        elif method == "$/cancelRequest":
            effect = self._effects.get(params["id"])
            if effect is not None:
                effect.cancel()
        elif method == "effects/perform" and identifier is not None:
            performing = asyncio.ensure_future(self._perform(params))
            self._effects[identifier] = performing
            # Not in the task itself: one that is cancelled before its first step never runs.
            performing.add_done_callback(lambda task: self._performed(identifier, task))
        elif identifier is not None:
            self._connection.write({"id": identifier, **unknown_method(method)})

    def _snapshot(self, params: Params) -> None:
        subscription = self._subscriptions.get(params["subscription"])
        if subscription is not None:
            if subscription.apply(params):
                self._frame.append(subscription)
            elif subscription.begins_resync():
                self._resync(subscription)
        if not params.get("more"):
            self._show()

    def _resync(self, subscription: AsyncSubscription) -> None:
        def again() -> None:
            if subscription.begins_resync():
                self._resync(subscription)

        def refused(problem: Problem) -> None:
            subscription.resync_failed()
            if problem.retryable:
                asyncio.get_running_loop().call_later(problem.retry_after or 0.25, again)

        lost = {"subscription": subscription.identifier}
        self._connection.post("models/resync", lost, refused)

    def _show(self) -> None:
        """Tells the readers of a complete frame: all they see is of one instant."""
        for subscription in self._frame:
            self._tell(subscription.show, subscription.state)
        self._frame.clear()

    def _closed(self, params: Params) -> None:
        subscription = self._subscriptions.pop(params["subscription"], None)
        if subscription is not None:
            problem = Problem.from_state(params["problem"]) if "problem" in params else None
            closed = SubscriptionClosed(params["reason"], problem)
            subscription.end(closed)
            self._tell(subscription.on_closed, closed)

    def _operation_ended(self, params: Params) -> None:
        self._endings[params["operation"]] = params
        if len(self._endings) > KEPT_ENDINGS:
            self._endings.popitem(last=False)
        waiting = self._finishing.pop(params["operation"], None)
        if waiting is not None and not waiting.done():
            waiting.set_result(params)
        self._tell(self._on_ended, params)

    def _core_gone(self, gone: CoreGone) -> None:
        self._show()
        for waiting in self._finishing.values():
            give_up(waiting, gone)
        for subscription in self._subscriptions.values():
            subscription.end(gone)
        for effect in list(self._effects.values()):
            effect.cancel()

    # MARK: Effects and callbacks

    async def _perform(self, params: Params) -> Answer:
        effect = AsyncEffect(params)
        handler = self._handlers.get(effect.name)
        if handler is None:
            return failed("effect.unsupported", "the shell has no handler for it")
        try:
            outcome = handler(effect)
            return answered(await outcome if inspect.isawaitable(outcome) else outcome)
        except Exception as error:  # the core must get its answer, whatever the handler did
            return failed(error)

    def _performed(self, identifier: Any, task: asyncio.Task[Answer]) -> None:
        self._effects.pop(identifier, None)
        answer = cancelled() if task.cancelled() else task.result()
        try:
            self._connection.write({"id": identifier, **answer})
        except ValueError as error:  # an answer the core could not read
            self._connection.write({"id": identifier, **failed(error)})

    def _tell(self, callback: Optional[Callable[[Any], None]], value: Any) -> None:
        if callback is None:
            return
        try:
            callback(value)
        except Exception as error:  # a callback's fault must not end the session
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a callback of the shell failed", "exception": error}
            )

