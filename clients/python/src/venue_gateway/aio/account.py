"""One trading account: its open orders and balances, loaded and then kept by its events, which are numbered without a gap.

The one thing to know: ``proof`` says from which event to which nothing is missing; where that cannot be said, the account is loaded anew and
``on_resynced`` tells which numbers were not seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

from ..generated.records import (
    AccountEvent,
    AccountExecution,
    PortfolioPosition,
    TradeOrder,
    TradeOrderEvent,
    TradeOrderListQuery,
)
from ..order import is_over
from ..outcomes import Proof, Resynced
from .retry import patiently
from .told import told

if TYPE_CHECKING:
    from .gateway import Gateway

_LOAD_PATIENCE = 300.0
_OPEN: tuple[Literal["PENDING", "OPEN", "PARTIALLY_FILLED"], ...] = ("PENDING", "OPEN", "PARTIALLY_FILLED")


class Account:
    """Needs a running event loop; follows its channel from the first moment on."""

    def __init__(
        self,
        gateway: Gateway,
        trading_account_id: str,
        *,
        on_event: Callable[[AccountEvent], None] | None = None,
        on_execution: Callable[[AccountExecution], None] | None = None,
        on_resynced: Callable[[Resynced, Account], None] | None = None,
        on_ended: Callable[[Exception], None] | None = None,
    ) -> None:
        """``on_resynced``: something may have been missed; orders and balances are loaded by now. Executions of the gap are in
        ``tradeOrder/get`` of each order. ``on_ended``: the load failed for good, or the channel or the connection has
        ended: nothing comes any more. Told once; not of ``close()``.
        """
        self.trading_account_id = trading_account_id
        # Open orders by tradeOrderId.
        self.orders: dict[str, TradeOrder] = {}
        # Balances by currency.
        self.positions: dict[str, PortfolioPosition] = {}
        self._gateway = gateway
        self._on_event = on_event
        self._on_execution = on_execution
        self._on_resynced = on_resynced
        self._on_ended = on_ended
        self._listeners: set[Callable[[TradeOrder], None]] = set()
        self._first: int | None = None
        self._last: int | None = None
        # Events that wait while the account is loaded.
        self._waiting: list[AccountEvent] | None = []
        self._loading: asyncio.Task[None] | None = None
        self._missed: Resynced | None = None
        self._is_over = False
        self._loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._subscription = gateway.stream.subscribe(f"tradingAccount:{trading_account_id}", self)

    async def ready(self) -> Account:
        """Returns when orders and balances are there."""
        await asyncio.shield(self._loaded)
        return self

    @property
    def proof(self) -> Proof | None:
        """None: no event was seen since the last load."""
        return None if self._first is None or self._last is None else Proof(self._first, self._last)

    def on_order(self, listener: Callable[[TradeOrder], None]) -> Callable[[], None]:
        """Called with every record of an order that an event brings; returns what ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def close(self) -> None:
        self._over(RuntimeError("the account was closed by this program"))

    def on_publication(self, data: AccountEvent) -> None:
        sequence = data["sequence"]
        if self._last is not None and sequence <= self._last:
            return
        if self._last is not None and sequence != self._last + 1:
            self._lose("GAP", sequence)
            self._load()
        if self._first is None:
            self._first = sequence
        self._last = sequence
        if self._waiting is None:
            self._apply(data)
        else:
            self._waiting.append(data)

    def on_subscribing(self) -> None:
        """The events of the meantime follow, or it is told that they do not."""

    def on_subscribed(self, *, was_recovering: bool, recovered: bool) -> None:
        # After a cut the missed events follow by themselves.
        if recovered:
            return
        if was_recovering:
            self._lose("NOT_RECOVERED", None)
        self._load()

    def on_unsubscribed(self, code: int, reason: str) -> None:
        self._end(RuntimeError(f"the account's channel ended: {reason} ({code})"))

    def _lose(self, why: Literal["NOT_RECOVERED", "GAP"], seen_again_from: int | None) -> None:
        """What was proven so far ends here."""
        if self._missed is None:
            self._missed = Resynced(why, None if self._last is None else self._last + 1, seen_again_from)
        self._first = None
        self._last = None

    def _load(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
        if self._waiting is None:
            self._waiting = []
        self._loading = asyncio.get_running_loop().create_task(self._loads())

    async def _loads(self) -> None:
        """Subscribed first and loaded second, so that nothing falls in between: events may tell again what was loaded; the newest last."""
        try:
            # An account that is reconciling answers 503 for a while.
            orders, positions = await patiently(self._found, patience=_LOAD_PATIENCE)
        except Exception as error:
            return self._end(error)
        self.orders.clear()
        self.orders.update({order["tradeOrderId"]: order for order in orders})
        self.positions.clear()
        self.positions.update({position["currency"]: position for position in positions})
        waiting, self._waiting = self._waiting or [], None
        for event in waiting:
            self._apply(event)
        if not self._loaded.done():
            self._loaded.set_result(None)
        missed, self._missed = self._missed, None
        if missed is not None and self._on_resynced is not None:
            told(self._on_resynced, missed, self)

    async def _found(self) -> tuple[list[TradeOrder], list[PortfolioPosition]]:
        account = self.trading_account_id
        orders: list[TradeOrder] = []
        for status in _OPEN:
            asked: TradeOrderListQuery = {"tradingAccountId": account, "status": status}
            async for order in self._gateway.pages("tradeOrder/list", asked):
                orders.append(order)
        return orders, await self._gateway.get("tradingAccount/portfolio/list", {"tradingAccountId": account})

    def _apply(self, event: AccountEvent) -> None:
        if event["kind"].startswith("TRADE_ORDER."):
            order = cast(TradeOrderEvent, event)["data"]
            if is_over(order):
                self.orders.pop(order["tradeOrderId"], None)
            else:
                self.orders[order["tradeOrderId"]] = order
            for listener in list(self._listeners):
                told(listener, order)
        elif event["kind"] == "PORTFOLIO.UPDATED":
            self.positions.update({position["currency"]: position for position in event["data"]})
        elif event["kind"] == "EXECUTION.CREATED" and self._on_execution is not None:
            told(self._on_execution, event["data"])
        if self._on_event is not None:
            told(self._on_event, event)

    def _end(self, error: Exception) -> None:
        if self._is_over:
            return
        self._over(error)
        if self._on_ended is not None:
            told(self._on_ended, error)

    def _over(self, error: Exception) -> None:
        """A load that is under way has nothing to tell any more, and what waits for it is of no use."""
        self._is_over = True
        self._waiting = None
        self._gateway.stream.leave(self._subscription)
        if self._loading is not None:
            self._loading.cancel()
        if not self._loaded.done():
            self._loaded.set_exception(error)
            # Seen by `ready`, where that is asked.
            self._loaded.exception()
