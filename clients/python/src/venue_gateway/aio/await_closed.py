"""Waits for an order's end: by the account's events where they are followed, with ``tradeOrder/get`` behind them, which has the last word."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from ..generated.records import SubmittedOrder, TradeOrder
from ..order import is_over

if TYPE_CHECKING:
    from .account import Account
    from .gateway import Gateway

_READ_FIRST = 0.2
_READ_LATER = 5.0


async def await_closed(
    gateway: Gateway, order: TradeOrder | SubmittedOrder, *, account: Account | None = None, timeout: float = inf
) -> TradeOrder:
    """The order when it is over, or, without an exception, as it is at the end of ``timeout``: it may be OPEN still.

    ``is_over(order)`` says which; ``inDoubt`` says that the venue has not answered. Nothing is cancelled by a timeout.

    ``account``: its followed events bring the end at once; without them the order is read again and again.
    """
    order_id = order["tradeOrderId"]
    end_at = time.monotonic() + timeout
    ended = asyncio.Event()

    def heard(told: TradeOrder) -> None:
        if told["tradeOrderId"] == order_id and is_over(told):
            ended.set()

    forget = None if account is None else account.on_order(heard)
    wait = _READ_FIRST
    try:
        while True:
            ended.clear()
            # The record over HTTP has the last word: it has all executions.
            now = await gateway.get(
                "tradeOrder/get", {"tradingAccountId": order["tradingAccountId"], "tradeOrderId": order_id}
            )
            left = end_at - time.monotonic()
            if is_over(now) or left <= 0:
                return now
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), min(wait, left))
            wait = min(2 * wait, _READ_LATER)
    finally:
        if forget is not None:
            forget()
