"""A client for grain-core: spawns it, sends intents, holds the state it answers with.

Threads: one reads the core's messages and applies them to state, one runs your callbacks in the
order things happened, and each effect runs in a thread of its own, so a handler may take as long
as the person does and may itself send intents. Every method of :class:`Client` may be called from
any of them. :class:`AsyncClient` is the same on an event loop, without threads.
"""

from .aio import AsyncClient, AsyncEffect
from .aio_subscription import AsyncSubscription
from .client import Client
from .effects import Effect, EffectFailed
from .errors import CoreGone, OperationCancelled, Problem, ProtocolError, SubscriptionClosed
from .framing import MessageSplitter, encode
from .merge import merge_patch, state_digest
from .subscription import Subscription

__all__ = [
    "AsyncClient",
    "AsyncEffect",
    "AsyncSubscription",
    "Client",
    "CoreGone",
    "Effect",
    "EffectFailed",
    "MessageSplitter",
    "OperationCancelled",
    "Problem",
    "ProtocolError",
    "Subscription",
    "SubscriptionClosed",
    "encode",
    "merge_patch",
    "state_digest",
]
