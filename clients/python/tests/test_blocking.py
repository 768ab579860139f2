"""The client without asyncio: the same parts behind calls that block, and callbacks that may call them."""

from __future__ import annotations

import subprocess
import sys
import threading
import unittest

from venue_gateway import (
    Account,
    Book,
    Distrust,
    Gateway,
    NoAnswer,
    Replayed,
    Same,
    Stored,
    await_closed,
    keep_alive,
    submit,
)
from venue_gateway.generated.records import AccountExecution, SubmitOrder

from .bot import AT_ONCE, PATIENCE, URL, Bot, needs_gateway, until
from .proxy import Proxy


@needs_gateway
class Blocking(unittest.TestCase):
    def setUp(self) -> None:
        self.bot = Bot()
        self.proxy = Proxy(URL)
        self.addCleanup(self.proxy.close)
        self.gateway = Gateway(self.proxy.url, self.bot.who, reconnect=AT_ONCE)
        self.addCleanup(self.gateway.close)

    def test_an_answer_that_is_lost_makes_no_second_order(self) -> None:
        self.gateway.get("auth/user")
        for _ in range(3):
            self.proxy.lose()
            kept: list[str] = []
            here: list[bool] = []

            def persist(key: str, _: SubmitOrder) -> None:
                kept.append(key)
                here.append(threading.current_thread() is threading.main_thread())

            made = submit(self.gateway, self.bot.order, persist=persist)
            assert isinstance(made, Replayed), made
            self.assertEqual(([made.key], [True]), (kept, here))
        self.assertEqual(self.bot.orders(), 3)

    def test_a_write_without_an_answer_raises_and_pages_end_with_the_last_item(self) -> None:
        made = [self.gateway.post("tradeOrder/submit", self.bot.order)["tradeOrderId"] for _ in range(7)]
        pages = self.gateway.pages("tradeOrder/list", {"tradingAccountId": self.bot.account, "limit": 3})
        self.assertEqual(sorted(order["tradeOrderId"] for order in pages), sorted(made))
        self.proxy.cut()
        with self.assertRaises(NoAnswer):
            self.gateway.post("tradeOrder/cancelAll", {"tradingAccountId": self.bot.account})

    def test_a_book_is_the_gateways_through_cuts(self) -> None:
        told: list[Distrust | None] = []
        book = Book(self.gateway, "MOCK:BTC/USDT", on_trust=lambda why, _: told.append(why)).ready()
        self.assertIsInstance(book.verify(), Same)
        self.proxy.cut()
        until("the cut to be told", lambda: book.distrust == "CUT")
        self.proxy.mend()
        self.assertIsInstance(book.ready().verify(), Same)
        sides = book.sides()
        self.assertLess(float(sides.bids[0][0]), float(sides.asks[0][0]))
        book.close()
        until("the end to be told", lambda: told == [None, "CUT", None, "ENDED"])

    def test_callbacks_may_call_and_take_their_time(self) -> None:
        seen: list[int | None] = []
        changes = threading.Semaphore(0)

        def changed(book: Book) -> None:
            # Each waits for the gateway, and for the thread of the stream.
            self.gateway.get("health/live")
            seen.append(book.sequence)
            changes.release()

        Book(self.gateway, "MOCK:BTC/USDT", on_change=changed)
        for _ in range(3):
            self.assertTrue(changes.acquire(timeout=PATIENCE))
        self.assertEqual(seen, sorted(seen, key=lambda it: it or 0))

    def test_account_await_closed_and_keep_alive(self) -> None:
        executions: list[AccountExecution] = []
        account = Account(self.gateway, self.bot.account, on_execution=executions.append).ready()
        alive = keep_alive(self.gateway, self.bot.account, timeout=30)
        resting = submit(self.gateway, self.bot.order)
        assert isinstance(resting, Stored), resting
        order_id = resting.order["tradeOrderId"]
        until("the order to rest", lambda: order_id in account.orders)
        bought = submit(self.gateway, self.bot.changed(orderType="MARKET", limitPrice=None))
        assert isinstance(bought, Stored), bought
        closed = await_closed(self.gateway, bought.order, account=account, timeout=PATIENCE)
        self.assertEqual(closed["status"], "FILLED")
        until("the fill", lambda: len(executions) == 1)
        until("the balance", lambda: "BTC" in account.positions)
        proof = account.proof
        assert proof is not None
        self.assertEqual(proof.gaps, 0)
        alive.stop(disarm=True)
        account.close()

    def test_a_program_that_ends_without_closing_ends(self) -> None:
        program = f"""
import venue_gateway as v
gateway = v.Gateway({URL!r}, v.Password({self.bot.email!r}, {self.bot.who.password!r}))
print(v.Book(gateway, "MOCK:BTC/USDT").ready().is_trusted)
raise SystemExit(7)
"""
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (7, "True\n", ""))


if __name__ == "__main__":
    unittest.main()
