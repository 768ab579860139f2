"""A market maker: a post-only bid and ask around the middle of the book, moved with it, within a limit of what it may hold.

It quotes only while the book is trusted, repeats what has no answer under the same key (also when it is started again), and takes the dead
man's switch off only when nothing of it is left.
"""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Literal

from journal import Journal
from me import URL, me
from venue_gateway.aio import (
    Account,
    Book,
    Errno,
    Gateway,
    GatewayError,
    NoAnswer,
    Refused,
    Unanswered,
    await_closed,
    is_over,
    keep_alive,
    submit,
)
from venue_gateway.generated.records import SubmitOrder, TradeOrder

INSTRUMENT, BASE = "MOCK:BTC/USDT", "BTC"
QUANTITY = "0.01"
# Of the middle: so far away each quote stands, and so far off its place it may be.
HALF, SLACK = Decimal("0.0005"), Decimal("0.0002")
# What it may have bought or sold more than the other way.
LIMIT = Decimal("0.05")
SECONDS = float(os.environ.get("SECONDS", "inf"))

Side = Literal["BUY", "SELL"]


class Maker:
    def __init__(self, gateway: Gateway, account: Account, book: Book, tick: Decimal, journal: Journal) -> None:
        self.gateway, self.account, self.book, self.tick, self.journal = gateway, account, book, tick, journal
        self.orders: dict[Side, TradeOrder] = {}
        self.first = self.holds()

    def holds(self) -> Decimal:
        position = self.account.positions.get(BASE)
        return Decimal(position["balance"]) if position is not None else Decimal(0)

    async def step(self) -> None:
        await self.resolve()
        if not self.book.is_trusted:
            # Blind: nothing of ours may stand in the market.
            return await self.withdraw()
        middle = (Decimal(self.book.bids[0][0]) + Decimal(self.book.asks[0][0])) / 2
        bought = self.holds() - self.first
        await self.quote("BUY", self.rounded(middle * (1 - HALF), ROUND_FLOOR), bought < LIMIT)
        await self.quote("SELL", self.rounded(middle * (1 + HALF), ROUND_CEILING), bought > -LIMIT)

    def rounded(self, price: Decimal, rounding: str) -> Decimal:
        return (price / self.tick).to_integral_value(rounding) * self.tick

    async def quote(self, side: Side, price: Decimal, is_wanted: bool) -> None:
        order = await self.order_of(side)
        if order is None:
            if is_wanted:
                await self.place(side, price)
        elif not is_wanted:
            await self.cancel(order)
        elif order["status"] != "PENDING" and abs(Decimal(order["limitPrice"] or 0) / price - 1) > SLACK:
            await self.move(order, price)

    async def order_of(self, side: Side) -> TradeOrder | None:
        order = self.orders.get(side)
        if order is None:
            return None
        # Not among the open ones: too new to be there, or over.
        order_id = order["tradeOrderId"]
        now = self.account.orders.get(order_id) or await self.gateway.get(
            "tradeOrder/get", {"tradingAccountId": self.account.trading_account_id, "tradeOrderId": order_id}
        )
        if not is_over(now):
            return now
        del self.orders[side]
        print(f"{side} {now['status']}: {now['executedQuantity']} at {now['averagePrice']}", flush=True)
        return None

    async def place(self, side: Side, price: Decimal) -> None:
        order: SubmitOrder = {
            "tradingAccountId": self.account.trading_account_id,
            "instrumentId": INSTRUMENT,
            "orderSide": side,
            "orderType": "LIMIT_MAKER",
            "quantity": QUANTITY,
            "limitPrice": str(price),
        }
        await self.submit(order)

    async def submit(self, order: SubmitOrder, key: str | None = None) -> None:
        side: Side = "BUY" if order["orderSide"] == "BUY" else "SELL"
        made = await submit(self.gateway, order, key=key, persist=self.journal.keep, patience=5)
        if isinstance(made, Unanswered):
            # It stays in the journal, and is asked for again before anything else.
            return print(made.error, flush=True)
        if isinstance(made, Refused):
            print(made.error, flush=True)
        else:
            self.orders[side] = made.order
            print(f"{side} {QUANTITY} at {made.order['limitPrice']}", flush=True)
        self.journal.settle(made.key)

    async def resolve(self) -> None:
        for key, order in list(self.journal.open.items()):
            await self.submit(order, key)

    async def cancel(self, order: TradeOrder) -> None:
        with over_already():
            await self.gateway.post(
                "tradeOrder/cancel",
                {"tradingAccountId": order["tradingAccountId"], "tradeOrderId": order["tradeOrderId"]},
            )

    async def move(self, order: TradeOrder, price: Decimal) -> None:
        with over_already():
            await self.gateway.post(
                "tradeOrder/replace",
                {
                    "tradingAccountId": order["tradingAccountId"],
                    "tradeOrderId": order["tradeOrderId"],
                    "limitPrice": str(price),
                },
            )

    async def withdraw(self) -> None:
        await self.gateway.post(
            "tradeOrder/cancelAll",
            {"tradingAccountId": self.account.trading_account_id, "instrumentId": INSTRUMENT},
        )


@contextmanager
def over_already() -> Iterator[None]:
    """The next step reads what it executed."""
    try:
        yield
    except GatewayError as refused:
        if refused.errno != Errno.ORDER_CLOSED:
            raise


async def account_of(gateway: Gateway) -> str:
    """Listed first: a key that is limited to accounts connects none, and sees those that it is for."""
    mine = await gateway.get("tradingAccount/list", {"venue": "MOCK", "accountStatus": "ACTIVE"})
    for account in mine:
        if account["externalTradingAccountId"] == "maker" or len(mine) == 1:
            return account["tradingAccountId"]
    made = await gateway.post("tradingAccount/connect", {"venue": "MOCK", "externalTradingAccountId": "maker"})
    return made["tradingAccountId"]


async def main() -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with Gateway(URL, me()) as gateway:
        account_id = await account_of(gateway)
        (instrument,) = await gateway.get("market/instrument/list", {"instrumentId": INSTRUMENT})

        def over(error: Exception) -> None:
            """The key was revoked, or the like: nothing comes any more."""
            print(error, flush=True)
            stopped.set()

        account = await Account(gateway, account_id, on_ended=over).ready()
        book = await Book(gateway, INSTRUMENT, on_trust=lambda why, _: print("book:", why or "trusted")).ready()
        # Should this program fall silent, the gateway cancels what it left.
        alive = await keep_alive(gateway, account_id, timeout=15, on_late=lambda error: print("late:", error))
        journal = Journal(os.environ.get("JOURNAL", "maker.json"))
        maker = Maker(gateway, account, book, Decimal(instrument["tickSize"]), journal)
        # What an earlier run left.
        await maker.resolve()
        await maker.withdraw()
        end_at = time.monotonic() + SECONDS
        while not stopped.is_set() and time.monotonic() < end_at:
            try:
                await maker.step()
            except (GatewayError, NoAnswer) as error:
                # The next step reads what is true and goes on from there.
                print(error, flush=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), 0.5)
        try:
            await maker.withdraw()
            for order in maker.orders.values():
                await await_closed(gateway, order, account=account, timeout=30)
            await alive.stop(disarm=not journal.open)
        except (GatewayError, NoAnswer) as error:
            print(f"{error}: the gateway cancels what is out, within 15 s", flush=True)
            await alive.stop(disarm=False)
        print(f"bought {maker.holds() - maker.first}, left open {len(account.orders)}, {account.proof}")
        account.close()


if __name__ == "__main__":
    asyncio.run(main())
