"""One order, once, whatever happens to requests and answers.

The key is made once and can be stored before anything is sent; only the same request with the same key ever goes out again. The one thing to
know: the result is never a bare exception. Unanswered means that the order may be there: submit the same with its key again, also after a
restart. What cancels the task is no answer either: the key that ``persist`` was given is Unanswered then.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from ..answer import Answer
from ..errors import GatewayError, NoAnswer
from ..generated.errno import Errno
from ..generated.records import SubmitOrder, SubmittedOrder
from ..outcomes import Refused, Replayed, Stored, Submission, Unanswered
from .retry import OnAttempt, patiently

if TYPE_CHECKING:
    from .gateway import Gateway

Persist = Callable[[str, SubmitOrder], Awaitable[None] | None]

# Said before the order is looked at: of an earlier try they prove nothing.
_SPEAKS_OF_ITSELF = frozenset({401, 403, 429})


def keyed(order: SubmitOrder, key: str | None) -> tuple[str, SubmitOrder]:
    """The order's key, and the order as it goes out."""
    mine = order.get("clientOrderId")
    found = key or order.get("idempotencyKey") or mine or str(uuid.uuid4())
    # `clientOrderId` is the order's key where there is no other.
    return found, order if found == mine else cast(SubmitOrder, {**order, "idempotencyKey": found})


async def submit(
    gateway: Gateway,
    order: SubmitOrder,
    *,
    key: str | None = None,
    persist: Persist | None = None,
    patience: float = 30.0,
    on_attempt: OnAttempt | None = None,
) -> Submission:
    """``key``: of an earlier try; unless told the order's own ``idempotencyKey`` or ``clientOrderId``, or a new one.

    ``persist``: called, and awaited, before the first byte leaves: what it stores is what a restarted bot submits again. ``patience``: so
    long the same request is repeated, seconds. ``on_attempt``: told of each attempt that came to nothing.
    """
    name, body = keyed(order, key)
    if persist is not None:
        waits = persist(name, body)
        if waits is not None:
            await waits
    return await deliver(gateway, name, body, may_be_there=key is not None, patience=patience, on_attempt=on_attempt)


async def deliver(
    gateway: Gateway,
    key: str,
    body: SubmitOrder,
    *,
    may_be_there: bool,
    patience: float,
    on_attempt: OnAttempt | None,
) -> Submission:
    """``may_be_there``: with the key of an earlier try, which may have arrived."""

    def attempted(error: GatewayError | NoAnswer) -> None:
        nonlocal may_be_there
        if not _did_nothing(error):
            may_be_there = True
        if on_attempt is not None:
            on_attempt(error)

    async def attempt() -> Answer[SubmittedOrder]:
        return await gateway.send("tradeOrder/submit", body)

    try:
        answer = await patiently(attempt, patience=patience, on_attempt=attempted)
    except NoAnswer as error:
        return Unanswered(key, error)
    except GatewayError as error:
        if may_be_there:
            is_definite = error.status < 500 and error.status not in _SPEAKS_OF_ITSELF
        else:
            is_definite = error.status < 500 or _did_nothing(error)
        return Refused(key, error) if is_definite else Unanswered(key, error)
    if answer.headers.get("Idempotency-Replayed") == "true":
        return Replayed(key, answer.data)
    return Stored(key, answer.data)


def _did_nothing(error: GatewayError | NoAnswer) -> bool:
    """Certain to have done nothing, although a later try may succeed."""
    return isinstance(error, GatewayError) and (error.status == 429 or error.errno == Errno.ACCOUNT_RECONCILING)
