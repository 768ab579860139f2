"""What each test begins with: a user with an account on MOCK, and a second way to ask the gateway, around the client and the proxy."""

from __future__ import annotations

import json
import os
import time
import unittest
import urllib.request
import uuid
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlencode

from venue_gateway import Password
from venue_gateway.generated.records import SubmitOrder

URL = os.environ.get("GATEWAY_URL", "")
PASSWORD = "a good password for a bot"
# Longest wait for what has to come, seconds: the machine may do ten things at once.
PATIENCE = 60.0

needs_gateway = unittest.skipIf(URL == "", "GATEWAY_URL names no gateway")
# Of the stream: a test does not wait for seconds.
AT_ONCE = (0.02, 0.1)


class Direct:
    """The standard library's HTTP: what the client believes is compared with what this hears."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token

    def call(self, method: str, name: str, body: Any = None, **query: str) -> Any:
        request = urllib.request.Request(
            f"{URL}/api/v3/{name}?{urlencode(query)}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        if self.token is not None:
            request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def get(self, name: str, **query: str) -> Any:
        return self.call("GET", name, **query)["data"]

    def post(self, name: str, body: Any) -> Any:
        return self.call("POST", name, body)["data"]


class Bot:
    def __init__(self) -> None:
        self.email = f"bot-{uuid.uuid4()}@example.com"
        self.who = Password(self.email, PASSWORD)
        session = Direct().post("auth/signup", {"email": self.email, "password": PASSWORD})
        self.direct = Direct(session["accessToken"])
        account = self.direct.post("tradingAccount/connect", {"venue": "MOCK", "externalTradingAccountId": "bot"})
        self.account: str = account["tradingAccountId"]
        self.order: SubmitOrder = {
            "tradingAccountId": self.account,
            "instrumentId": "MOCK:BTC/USDT",
            "orderSide": "BUY",
            "orderType": "LIMIT",
            "quantity": "0.001",
            "limitPrice": "40000",
        }

    def changed(self, **fields: str | None) -> SubmitOrder:
        """The order with other fields."""
        return cast(SubmitOrder, {**cast("dict[str, object]", self.order), **fields})

    def orders(self) -> int:
        """How many there are, says the gateway."""
        total: int = self.direct.call("GET", "tradeOrder/list", tradingAccountId=self.account)["pagination"]["total"]
        return total


def until(what: str, seen: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + PATIENCE
    while not seen():
        if time.monotonic() > give_up_at:
            raise AssertionError(f"waited {PATIENCE:.0f} s for {what}")
        time.sleep(0.01)
