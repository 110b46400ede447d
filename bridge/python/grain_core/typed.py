"""The clients as type checkers see them through the schemas; nothing of it exists at run time.

What a checker knows: the params and the result of every method, and the state of every model.
"""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Literal, Optional, Protocol, TypeVar, overload

from .grain_core_types import (
    AccountsState,
    AsyncCalls,
    Calls,
    DraftsState,
    GalleryPublishArgs,
    GalleryPublishState,
    LoginState,
)

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
OnChange = Optional[Callable[[S], None]]


class TypedSubscription(Protocol[S_co]):
    """:class:`~grain_core.Subscription` to a model whose states are known."""

    @property
    def state(self) -> S_co: ...

    @property
    def revision(self) -> int: ...

    def wait(
        self, condition: Callable[[S_co], Any] = ..., timeout: float = 30
    ) -> S_co: ...


class TypedAsyncSubscription(Protocol[S_co]):
    """:class:`~grain_core.AsyncSubscription` to a model whose states are known."""

    @property
    def state(self) -> S_co: ...

    @property
    def revision(self) -> int: ...

    def __aiter__(self) -> AsyncIterator[S_co]: ...

    async def wait(self, condition: Callable[[S_co], Any] = ...) -> S_co: ...


class TypedClient(Calls, Protocol):
    """:class:`~grain_core.Client`; see :attr:`~grain_core.Client.typed`."""

    @overload
    def subscribe(
        self, model: Literal["login"], *, on_change: OnChange[LoginState] = None
    ) -> TypedSubscription[LoginState]: ...

    @overload
    def subscribe(
        self, model: Literal["accounts"], *, on_change: OnChange[AccountsState] = None
    ) -> TypedSubscription[AccountsState]: ...

    @overload
    def subscribe(
        self, model: Literal["drafts"], *, on_change: OnChange[DraftsState] = None
    ) -> TypedSubscription[DraftsState]: ...

    @overload
    def subscribe(
        self,
        model: Literal["galleryPublish"],
        args: GalleryPublishArgs,
        *,
        on_change: OnChange[GalleryPublishState] = None,
    ) -> TypedSubscription[GalleryPublishState]: ...


class TypedAsyncClient(AsyncCalls, Protocol):
    """:class:`~grain_core.AsyncClient`; see :attr:`~grain_core.AsyncClient.typed`."""

    @overload
    async def subscribe(
        self, model: Literal["login"], *, on_change: OnChange[LoginState] = None
    ) -> TypedAsyncSubscription[LoginState]: ...

    @overload
    async def subscribe(
        self, model: Literal["accounts"], *, on_change: OnChange[AccountsState] = None
    ) -> TypedAsyncSubscription[AccountsState]: ...

    @overload
    async def subscribe(
        self, model: Literal["drafts"], *, on_change: OnChange[DraftsState] = None
    ) -> TypedAsyncSubscription[DraftsState]: ...

    @overload
    async def subscribe(
        self,
        model: Literal["galleryPublish"],
        args: GalleryPublishArgs,
        *,
        on_change: OnChange[GalleryPublishState] = None,
    ) -> TypedAsyncSubscription[GalleryPublishState]: ...
