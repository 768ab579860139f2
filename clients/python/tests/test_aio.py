"""The asyncio client, each helper at the failure that it is there for, behind a proxy that loses answers and cuts connections."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import unittest
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from venue_gateway.aio import (
    Account,
    ApiKey,
    Book,
    Distrust,
    Errno,
    Gateway,
    GatewayError,
    NoAnswer,
    Password,
    Proof,
    Refused,
    Replayed,
    Resynced,
    Same,
    Stored,
    Tokens,
    Unanswered,
    await_closed,
    keep_alive,
    submit,
)
from venue_gateway.answer import Answer
from venue_gateway.generated.records import AccountEvent, SubmitOrder

from .bot import AT_ONCE, PATIENCE, URL, Bot, needs_gateway
from .proxy import Proxy


async def until(what: str, seen: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + PATIENCE
    while not seen():
        if time.monotonic() > give_up_at:
            raise AssertionError(f"waited {PATIENCE:.0f} s for {what}")
        await asyncio.sleep(0.01)


def is_open(account: Account, order_id: str) -> bool:
    return order_id in account.orders and account.orders[order_id]["status"] == "OPEN"


@needs_gateway
class Aio(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.bot = Bot()
        self.proxy = Proxy(URL)
        self.addCleanup(self.proxy.close)

    @asynccontextmanager
    async def gateway(self, url: str = URL) -> AsyncIterator[Gateway]:
        async with Gateway(url, self.bot.who, reconnect=AT_ONCE) as gateway:
            yield gateway


class Calls(Aio):
    async def test_refusals_have_the_failures_name_status_and_figures(self) -> None:
        async with self.gateway() as gateway:
            with self.assertRaises(GatewayError) as raised:
                await gateway.post("tradeOrder/submit", self.bot.changed(quantity="100", limitPrice="59000"))
            refused = raised.exception
            self.assertEqual((refused.status, refused.code, refused.retry_after), (400, "INSUFFICIENT_BALANCE", None))
            self.assertEqual(refused.errno, Errno.INSUFFICIENT_BALANCE)
            self.assertIn("available", refused.metadata)
            self.assertRegex(str(refused), r"^POST tradeOrder/submit: Insufficient balance \(.*\): .*available \d")
            with self.assertRaisesRegex(GatewayError, r"\(-104003 INVALID_PARAMETER\): quantity: \S"):
                await gateway.post("tradeOrder/submit", self.bot.changed(quantity="a lot"))
            with self.assertRaises(GatewayError) as raised:
                await gateway.post("tradeOrder/submit", self.bot.changed(stopLossprice="1"))
            self.assertEqual(raised.exception.code, "UNKNOWN_FIELD")

    async def test_a_session_that_ended_is_renewed_under_the_call_once_for_all_that_wait(self) -> None:
        async with self.gateway() as gateway:
            before = await gateway.get("auth/session/list")
            await gateway.post("auth/logout")
            users = await asyncio.gather(*(gateway.get("auth/user") for _ in range(5)))
            self.assertEqual(len({user["id"] for user in users}), 1)
            # The sign-up's own, and one new.
            self.assertEqual(len(await gateway.get("auth/session/list")), len(before))

    async def test_without_an_answer_a_read_is_repeated_and_a_write_raises_no_answer(self) -> None:
        async with self.gateway(self.proxy.url) as gateway:
            await gateway.get("auth/user")
            self.proxy.cut()
            with self.assertRaises(NoAnswer):
                await gateway.post("tradeOrder/cancelAll", {"tradingAccountId": self.bot.account})
            reading = asyncio.create_task(gateway.get("tradingAccount/list"))
            await asyncio.sleep(0.1)
            self.proxy.mend()
            self.assertEqual([it["tradingAccountId"] for it in await reading], [self.bot.account])

    async def test_pages_end_with_the_last_item_each_once(self) -> None:
        async with self.gateway() as gateway:
            made = [(await gateway.post("tradeOrder/submit", self.bot.order))["tradeOrderId"] for _ in range(7)]
            pages = gateway.pages("tradeOrder/list", {"tradingAccountId": self.bot.account, "limit": 3})
            found = [order["tradeOrderId"] async for order in pages]
            self.assertEqual(sorted(found), sorted(made))

    async def test_the_gateways_clock_is_measured_within_its_own_error(self) -> None:
        async with self.gateway() as gateway:
            clock = await gateway.measure_clock()
            # One machine, one clock. A loaded machine answers late: what one sample alone allows.
            self.assertLessEqual(abs(clock.skew), clock.error)
            self.assertLessEqual(clock.error, 1.0)

    async def test_an_api_key_reads_within_its_scope_and_opens_the_stream(self) -> None:
        async with self.gateway() as gateway:
            made = await gateway.post("apiKey/create", {"name": "reader", "scopes": ["read"]})
        async with Gateway(URL, ApiKey(made["apiKey"])) as reader:
            self.assertTrue((await (await Book(reader, "MOCK:BTC/USDT").ready()).verify()).is_same)
            self.assertEqual(len(await reader.get("tradingAccount/list")), 1)
            with self.assertRaises(GatewayError) as raised:
                await reader.post("tradeOrder/cancelAll", {"tradingAccountId": self.bot.account})
            self.assertEqual(raised.exception.status, 403)

    async def test_calls_that_were_called_off_leave_the_connections_whole(self) -> None:
        async with Gateway(URL, self.bot.who, timeout=0.001, patience=0) as hasty:
            for _ in range(30):
                results = await asyncio.gather(*(hasty.get("health") for _ in range(5)), return_exceptions=True)
                self.assertTrue(all(isinstance(it, NoAnswer | dict) for it in results), results)
            hasty._timeout = PATIENCE
            self.assertEqual((await hasty.get("auth/user"))["email"], self.bot.email)


class Submits(Aio):
    async def test_an_answer_that_is_lost_makes_no_second_order(self) -> None:
        kept: list[str] = []
        async with self.gateway(self.proxy.url) as gateway:
            await gateway.get("auth/user")
            for _ in range(5):
                self.proxy.lose()
                before = self.proxy.losses
                attempts: list[Exception] = []

                async def persist(key: str, order: SubmitOrder) -> None:
                    self.assertEqual(self.proxy.losses, before)
                    self.assertEqual(order["idempotencyKey"], key)
                    kept.append(key)

                made = await submit(gateway, self.bot.order, persist=persist, on_attempt=attempts.append)
                self.assertIsInstance(attempts[0], NoAnswer)
                assert isinstance(made, Replayed), made
                self.assertEqual((made.key, made.order["idempotencyKey"]), (kept[-1], kept[-1]))
        self.assertEqual(len(set(kept)), 5)
        self.assertEqual(self.bot.orders(), 5)

    async def test_unanswered_is_resolved_by_its_key_also_by_a_later_process(self) -> None:
        async with self.gateway(self.proxy.url) as gateway:
            made = await submit(gateway, self.bot.order)
            assert isinstance(made, Stored), made
            self.assertEqual(made.order["status"], "PENDING")
            refused = await submit(gateway, self.bot.changed(limitPrice="0.001"))
            assert isinstance(refused, Refused), refused
            self.assertEqual(refused.error.status, 400)
            mine = f"mine-{uuid.uuid4()}"
            order = self.bot.changed(clientOrderId=mine)
            self.proxy.cut()
            unanswered = await submit(gateway, order, patience=0.3)
            assert isinstance(unanswered, Unanswered), unanswered
            self.assertEqual(unanswered.key, mine)
            self.proxy.mend()
        async with self.gateway() as later:
            resolved = await submit(later, order, key=unanswered.key)
            assert isinstance(resolved, Stored), resolved
            self.assertEqual(resolved.order["clientOrderId"], mine)
            self.assertIsInstance(await submit(later, order), Replayed)
        self.assertEqual(self.bot.orders(), 2)

    async def test_a_refusal_that_speaks_of_itself_does_not_settle_an_earlier_try(self) -> None:
        async with self.gateway(self.proxy.url) as gateway, Gateway(URL, Tokens("x.y.z")) as stranger:
            await gateway.get("auth/user")
            self.proxy.lose()
            asked = 0

            class Both(Gateway):
                """The first try arrives; the second one is refused with 401, as a session that ended meanwhile is."""

                async def _write(self, name: str, body: Any, headers: Mapping[str, str] | None) -> Answer[Any]:
                    nonlocal asked
                    asked += 1
                    return await (gateway if asked == 1 else stranger)._write(name, body, headers)

            made = await submit(Both(URL), self.bot.order)
            self.assertIsInstance(made, Unanswered)
            self.assertIsInstance(await submit(gateway, self.bot.order, key=made.key), Replayed)


class Books(Aio):
    async def test_string_for_string_the_gateways_through_cuts_and_every_loss_of_trust_is_told(self) -> None:
        told: list[Distrust | None] = []
        async with self.gateway(self.proxy.url) as gateway:
            book = Book(gateway, "MOCK:BTC/USDT", on_trust=lambda why, _: told.append(why))
            await book.ready()
            self.assertIsInstance(await book.verify(), Same)
            for _ in range(3):
                self.proxy.cut()
                await until("the cut to be told", lambda: book.distrust == "CUT")
                self.proxy.mend()
                await book.ready()
                self.assertIsInstance(await book.verify(), Same)
            self.assertEqual(book.gaps, 0)
            self.assertEqual(told, [None, "CUT", None, "CUT", None, "CUT", None])
            book.close()
            self.assertEqual(told[-1], "ENDED")
            with self.assertRaises(RuntimeError):
                await book.ready()

    async def test_a_publication_that_does_not_follow_begins_the_channel_anew(self) -> None:
        told: list[Distrust | None] = []
        async with self.gateway() as gateway:
            book = await Book(gateway, "MOCK:BTC/USDT", on_trust=lambda why, _: told.append(why)).ready()
            # As if the one before it had been lost.
            book.sequence = -1
            await until("the gap to be told", lambda: book.gaps == 1)
            await book.ready()
            self.assertIsInstance(await book.verify(), Same)
            self.assertEqual(told, [None, "GAP", None])

    async def test_a_callback_that_raises_ends_nothing(self) -> None:
        raised: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))

        def defect(_: Book) -> None:
            raise KeyError("of the bot")

        async with self.gateway() as gateway:
            book = await Book(gateway, "MOCK:BTC/USDT", on_change=defect).ready()
            self.assertIsInstance(await book.verify(), Same)
            self.assertGreater(len(raised), 0)

    @unittest.skipUnless("GATEWAY_PID" in os.environ, "GATEWAY_PID names no process")
    async def test_an_open_connection_that_is_mute_is_told(self) -> None:
        pid = int(os.environ["GATEWAY_PID"])
        async with self.gateway() as gateway:
            book = await Book(gateway, "MOCK:BTC/USDT", silence=0.3).ready()
            os.kill(pid, signal.SIGSTOP)
            try:
                await until("silence to be told", lambda: book.distrust == "SILENT")
            finally:
                os.kill(pid, signal.SIGCONT)
            await book.ready()


class Accounts(Aio):
    async def test_keeps_open_orders_and_balances_by_events_without_a_gap_through_cuts(self) -> None:
        events: list[AccountEvent] = []
        resynced: list[Resynced] = []
        bot = self.bot
        async with self.gateway(self.proxy.url) as gateway:
            account = Account(
                gateway, bot.account, on_event=events.append, on_resynced=lambda what, _: resynced.append(what)
            )
            await account.ready()
            resting = await submit(gateway, bot.order)
            assert isinstance(resting, Stored), resting
            order_id = resting.order["tradeOrderId"]
            await until("the order to rest", lambda: is_open(account, order_id))
            self.proxy.cut()
            away = bot.direct.post("tradeOrder/submit", bot.changed(orderType="MARKET", limitPrice=None))
            self.proxy.mend()
            closed = await await_closed(gateway, away, account=account, timeout=PATIENCE)
            self.assertEqual(closed["status"], "FILLED")
            await until("the missed fill", lambda: any(it["kind"] == "EXECUTION.CREATED" for it in events))
            await gateway.post("tradeOrder/cancel", {"tradeOrderId": order_id, "tradingAccountId": bot.account})
            await until("the cancel", lambda: not account.orders)
            shown = bot.direct.get("tradingAccount/portfolio/list", tradingAccountId=bot.account)
            await until("the balances", lambda: bool(list(account.positions.values()) == shown))
            numbers = [event["sequence"] for event in events]
            self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
            self.assertEqual(account.proof, Proof(numbers[0], numbers[-1]))
            self.assertEqual(resynced, [])

    async def test_an_event_that_does_not_follow_loads_the_account_anew_and_tells_what_was_not_seen(self) -> None:
        resynced: list[Resynced] = []
        async with self.gateway() as gateway:
            account = Account(gateway, self.bot.account, on_resynced=lambda what, _: resynced.append(what))
            await account.ready()
            await submit(gateway, self.bot.order)
            await until("its events", lambda: account.proof is not None)
            await until("the order to rest", lambda: any(it["status"] == "OPEN" for it in account.orders.values()))
            assert account.proof is not None
            last = account.proof.last
            # As if the next three had been lost.
            account._last = last - 3
            made = await submit(gateway, self.bot.order)
            assert isinstance(made, Stored), made
            await until("the load", lambda: len(resynced) == 1)
            self.assertEqual(resynced[0], Resynced("GAP", last - 2, last + 1))
            await until("both orders", lambda: len(account.orders) == 2)
            self.assertEqual(account.proof.first if account.proof else None, last + 1)

    async def test_the_account_of_another_user_is_refused(self) -> None:
        async with self.gateway() as gateway:
            ended: list[Exception] = []
            account = Account(gateway, Bot().account, on_ended=ended.append)
            with self.assertRaisesRegex(RuntimeError, "103"):
                await account.ready()
            self.assertEqual(len(ended), 1)

    async def test_one_that_cannot_be_loaded_is_over_and_its_channel_is_free(self) -> None:
        other = Bot()
        async with self.gateway() as gateway:
            ended: list[Exception] = []
            account = Account(gateway, self.bot.account, on_ended=ended.append)
            # What is loaded is another's, and refused.
            account.trading_account_id = other.account
            with self.assertRaises(GatewayError):
                await account.ready()
            self.assertEqual(len(ended), 1)
            await Account(gateway, self.bot.account, on_ended=ended.append).ready()
            self.assertEqual(len(ended), 1)

    async def test_one_that_is_closed_tells_nothing_and_lets_none_wait(self) -> None:
        async with self.gateway() as gateway:
            ended: list[Exception] = []
            account = Account(gateway, self.bot.account, on_ended=ended.append)
            ready = asyncio.create_task(account.ready())
            await asyncio.sleep(0)
            account.close()
            with self.assertRaisesRegex(RuntimeError, "closed by this program"):
                await ready
            self.assertEqual(ended, [])


class Ends(Aio):
    async def test_a_key_that_is_revoked_ends_all_and_all_are_told_why(self) -> None:
        told: list[Distrust | None] = []
        ended: list[Exception] = []
        async with self.gateway() as owner:
            made = await owner.post("apiKey/create", {"name": "bot", "scopes": ["trade"]})
            async with Gateway(URL, ApiKey(made["apiKey"]), reconnect=AT_ONCE) as gateway:
                book = Book(gateway, "MOCK:BTC/USDT", on_trust=lambda why, _: told.append(why))
                account = Account(gateway, self.bot.account, on_ended=ended.append)
                await asyncio.gather(book.ready(), account.ready())
                await owner.post("apiKey/revoke", {"apiKeyId": made["apiKeyId"]})
                await until("the end to be told", lambda: book.distrust == "ENDED" and len(ended) == 1)
                self.assertEqual(told, [None, "CUT", "ENDED"])
                self.assertRegex(str(ended[0]), r"^the account's channel ended: .+ \(35\d\d\)$")
                with self.assertRaisesRegex(RuntimeError, r"has ended: .+ \(35\d\d\)$"):
                    await book.ready()
                with self.assertRaisesRegex(RuntimeError, "has ended: "):
                    await Book(gateway, "MOCK:BTC/USDT").ready()

    async def test_a_sign_in_that_is_refused_is_the_end_and_the_programs_own_end_is_told_as_well(self) -> None:
        async with Gateway(URL, Password("nobody@example.com", "a good password")) as stranger:
            with self.assertRaisesRegex(RuntimeError, r"has ended: POST auth/login: .*\(-\d+ "):
                await Book(stranger, "MOCK:BTC/USDT").ready()
        ended: list[Exception] = []
        async with self.gateway() as gateway:
            await Account(gateway, self.bot.account, on_ended=ended.append).ready()
        self.assertEqual([str(it) for it in ended], ["the account's channel ended: closed by this program (0)"])


class Switches(Aio):
    async def test_keeps_orders_while_it_renews_cut_off_it_tells_so_and_the_gateway_cancels_them(self) -> None:
        late: list[Exception] = []
        async with self.gateway(self.proxy.url) as gateway, self.gateway() as around:
            kept = await keep_alive(gateway, self.bot.account, timeout=2.0, on_late=late.append)
            made = await submit(gateway, self.bot.order)
            assert isinstance(made, Stored), made
            self.proxy.cut()
            await until("the silence to be told", lambda: len(late) > 0)
            order = await await_closed(around, made.order)
            self.assertEqual((order["status"], order["cancelReason"]), ("CANCELLED", "DEAD_MAN_SWITCH"))
            self.proxy.mend()
            await kept.stop(disarm=True)
            self.assertEqual(len(late), 1)


if __name__ == "__main__":
    unittest.main()
