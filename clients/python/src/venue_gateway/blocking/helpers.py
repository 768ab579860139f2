"""``submit``, ``await_closed`` and ``keep_alive`` that block."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from .. import aio
from ..aio.retry import OnAttempt
from ..aio.submit import deliver, keyed
from ..generated.records import SubmitOrder, SubmittedOrder, TradeOrder
from ..outcomes import Submission
from .account import Account
from .gateway import Gateway


def submit(
    gateway: Gateway,
    order: SubmitOrder,
    *,
    key: str | None = None,
    persist: Callable[[str, SubmitOrder], None] | None = None,
    patience: float = 30.0,
    on_attempt: OnAttempt | None = None,
) -> Submission:
    """One order, once, whatever happens to requests and answers: never an exception of the gateway's or the network's.

    ``key``: of an earlier try; unless told the order's own ``idempotencyKey`` or ``clientOrderId``, or a new one. ``persist``: called before
    the first byte leaves: what it stores is what a restarted bot submits again. ``patience``: so long the same request is repeated, seconds.
    ``on_attempt``: told of each attempt that came to nothing.
    """
    name, body = keyed(order, key)
    if persist is not None:
        persist(name, body)
    told = None if on_attempt is None else gateway.threads.later(on_attempt)
    return gateway.threads.run(
        deliver(gateway.inner, name, body, may_be_there=key is not None, patience=patience, on_attempt=told)
    )


def await_closed(
    gateway: Gateway, order: TradeOrder | SubmittedOrder, *, account: Account | None = None, timeout: float = inf
) -> TradeOrder:
    """The order when it is over, or, without an exception, as it is at the end of ``timeout``: it may be OPEN still.

    ``is_over(order)`` says which; ``inDoubt`` says that the venue has not answered. Nothing is cancelled by a timeout.

    ``account``: its followed events bring the end at once; without them the order is read again and again.
    """
    inner = None if account is None else account.inner
    return gateway.threads.run(aio.await_closed(gateway.inner, order, account=inner, timeout=timeout))


class KeptAlive:
    """The one thing to know: a thread of its own renews, also while the bot's are stuck. A bot that may hang should stop it, or use asyncio,
    where a hanging bot renews nothing.
    """

    def __init__(self, gateway: Gateway, inner: aio.KeptAlive) -> None:
        self._gateway = gateway
        self._inner = inner

    def stop(self, *, disarm: bool) -> None:
        """Ends the renewals. ``disarm``: the switch is off, and what works goes on working; else the gateway cancels everything when the
        time is over. Exits count as orders, too.
        """
        self._gateway.threads.run(self._inner.stop(disarm=disarm))


def keep_alive(
    gateway: Gateway,
    trading_account_id: str,
    *,
    timeout: float,
    on_late: Callable[[Exception], None] | None = None,
) -> KeptAlive:
    """Arms the dead man's switch (``tradeOrder/cancelAllAfter``) and renews it. Raises when it cannot be armed.

    ``timeout``: without a renewal for so many seconds the gateway cancels all orders of the account. ``on_late``: a quarter of the time is
    left and nothing was answered: the switch may act, or has acted; told once each time.
    """
    late = None if on_late is None else gateway.threads.later(on_late)
    inner = gateway.threads.run(aio.keep_alive(gateway.inner, trading_account_id, timeout=timeout, on_late=late))
    return KeptAlive(gateway, inner)
