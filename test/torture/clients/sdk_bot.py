"""A bot on the Python client, as a process that the torture `sdk-bots` drives: it speaks the lines that sdk-bot.ts describes at its head.

The one thing to know: what it reports is what it has in memory by its client's helpers, never asked for when the report is.
"""

import asyncio
import json
import os
import sys
from math import inf
from pathlib import Path
from typing import Any

# The sources, wherever the torture runs from.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients/python/src"))

from venue_gateway.aio import (
    Account,
    ApiKey,
    Book,
    Gateway,
    GatewayError,
    NoAnswer,
    Resynced,
    is_over,
    submit,
)
from venue_gateway.generated.records import SubmittedOrder, TradeOrder

ACCOUNT = os.environ["TRADING_ACCOUNT_ID"]
PATIENCE = float(os.environ["PATIENCE_MS"]) / 1_000

# The newest record of each order that this bot was told of.
known: dict[str, TradeOrder] = {}
catching_up: set[asyncio.Task[None]] = set()


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def note(order: TradeOrder | SubmittedOrder) -> None:
    before = known.get(order["tradeOrderId"])
    if before is None or (is_over(before), before["updatedAt"]) <= (is_over(order), order["updatedAt"]):
        known[order["tradeOrderId"]] = order


async def catch_up(gateway: Gateway, account: Account) -> None:
    """What ended in a gap is in no list of open orders: it is asked for by its id."""
    for order in list(account.orders.values()):
        note(order)
    for order_id, order in list(known.items()):
        if not is_over(order) and order_id not in account.orders:
            note(await gateway.get("tradeOrder/get", {"tradingAccountId": ACCOUNT, "tradeOrderId": order_id}))


class Bot:
    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.book = Book(gateway, os.environ["INSTRUMENT_ID"], silence=inf)
        self.account = Account(gateway, ACCOUNT, on_resynced=self.resynced)
        self.account.on_order(note)

    def resynced(self, what: Resynced, account: Account) -> None:
        say(event="resynced", missedFrom=what.missed_from)
        task = asyncio.get_running_loop().create_task(catch_up(self.gateway, account))
        catching_up.add(task)
        task.add_done_callback(catching_up.discard)

    async def act(self, command: dict[str, Any]) -> dict[str, object]:
        match command["do"]:
            case "submit":
                return await self.submit(command)
            case "cancel":
                return await self.cancel(command["tradeOrderId"])
            case "report":
                return self.report()
            case "verify":
                await self.book.ready()
                verdict = await self.book.verify()
                return {"isSame": verdict.is_same, "sequence": verdict.sequence}
            case _:
                return {}

    async def submit(self, command: dict[str, Any]) -> dict[str, object]:
        made = await submit(
            self.gateway,
            command["order"],
            key=command.get("key"),
            persist=lambda key, _: say(event="persisted", key=key),
            patience=PATIENCE,
        )
        answer: dict[str, object] = {"outcome": type(made).__name__, "key": made.key, "tradeOrderId": None, "code": None}
        if hasattr(made, "order"):
            note(made.order)
            answer["tradeOrderId"] = made.order["tradeOrderId"]
        else:
            answer["code"] = made.error.code if isinstance(made.error, GatewayError) else str(made.error)
        return answer

    async def cancel(self, order_id: str) -> dict[str, object]:
        try:
            note(await self.gateway.post("tradeOrder/cancel", {"tradingAccountId": ACCOUNT, "tradeOrderId": order_id}))
            return {"outcome": "Done"}
        except NoAnswer as error:
            return {"outcome": "NoAnswer", "code": str(error)}
        except GatewayError as error:
            return {"outcome": "Refused", "code": str(error)}

    def report(self) -> dict[str, object]:
        proof = self.account.proof
        return {
            "orders": list(known.values()),
            "open": list(self.account.orders),
            "proof": None if proof is None else {"from": proof.first, "to": proof.last, "gaps": 0},
            "bid": self.book.bids[0][0] if self.book.bids else None,
            "ask": self.book.asks[0][0] if self.book.asks else None,
        }

    async def answer(self, command: dict[str, Any]) -> None:
        try:
            say(n=command["n"], **await self.act(command))
        except Exception as error:
            say(n=command["n"], failed=str(error))


async def main() -> None:
    who = ApiKey(os.environ["GATEWAY_KEY"])
    url = os.environ["GATEWAY_URL"]
    async with Gateway(url, who, timeout=5, patience=60, reconnect=(0.02, 0.2)) as gateway:
        bot = Bot(gateway)
        await asyncio.gather(bot.book.ready(), bot.account.ready())
        say(event="ready")
        lines = asyncio.StreamReader(limit=2**24)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        acting: set[asyncio.Task[None]] = set()
        while line := await lines.readline():
            command = json.loads(line)
            task = asyncio.create_task(bot.answer(command))
            acting.add(task)
            task.add_done_callback(acting.discard)
            if command["do"] == "end":
                await task
                break


if __name__ == "__main__":
    asyncio.run(main())
