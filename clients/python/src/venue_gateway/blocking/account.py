"""One trading account: its open orders and balances, kept by its events. The one thing to know: what is read of it is a copy of one moment."""

from __future__ import annotations

from collections.abc import Callable

from .. import aio
from ..generated.records import AccountEvent, AccountExecution, PortfolioPosition, TradeOrder
from ..outcomes import Proof, Resynced
from .gateway import Gateway
from .threads import in_place


class Account:
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
        self._threads = gateway.threads
        later = self._threads.later

        def make() -> None:
            self.inner = aio.Account(
                gateway.inner,
                trading_account_id,
                on_event=None if on_event is None else later(on_event),
                on_execution=None if on_execution is None else later(on_execution),
                on_resynced=None if on_resynced is None else later(in_place(on_resynced, self)),
                on_ended=None if on_ended is None else later(on_ended),
            )

        self._threads.call(make)

    def ready(self) -> Account:
        """Returns when orders and balances are there."""
        self._threads.run(self.inner.ready())
        return self

    @property
    def orders(self) -> dict[str, TradeOrder]:
        """Open orders by tradeOrderId."""
        return self._threads.call(lambda: dict(self.inner.orders))

    @property
    def positions(self) -> dict[str, PortfolioPosition]:
        """Balances by currency."""
        return self._threads.call(lambda: dict(self.inner.positions))

    @property
    def proof(self) -> Proof | None:
        """None: no event was seen since the last load."""
        return self._threads.call(lambda: self.inner.proof)

    def on_order(self, listener: Callable[[TradeOrder], None]) -> Callable[[], None]:
        """Called with every record of an order that an event brings; returns what ends that."""
        put = self._threads.later(listener)
        forget = self._threads.call(lambda: self.inner.on_order(put))
        return lambda: self._threads.call(forget)

    def close(self) -> None:
        self._threads.call(self.inner.close)
