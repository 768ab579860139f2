"""What the type checker must refuse: each line here is an error, and one that is none any more is an error too (`warn_unused_ignores`)."""

from __future__ import annotations

from venue_gateway import Gateway, Submission
from venue_gateway.generated.records import AccountEvent


def calls(gateway: Gateway) -> None:
    gateway.get("tradeOrder/lits")  # type: ignore[call-overload]
    gateway.get("market/orderbook/get")  # type: ignore[call-overload]
    gateway.get("tradeOrder/list", {"limits": 3})  # type: ignore[call-overload]
    gateway.post("tradeOrder/cancelAll", {"tradingAccountID": "x"})  # type: ignore[call-overload]
    gateway.post("tradeOrder/cancelAll", {"tradingAccountId": 7})  # type: ignore[call-overload]
    gateway.pages("auth/user")  # type: ignore[call-overload]


def records(gateway: Gateway, submission: Submission, event: AccountEvent) -> None:
    gateway.get("tradeOrder/get", {"tradingAccountId": "x", "tradeOrderId": "y"})["state"]  # type: ignore[typeddict-item]
    # Only Stored and Replayed have an order.
    submission.order  # type: ignore[union-attr]
    if event["kind"] == "EXECUTION.CREATED":
        event["data"]["status"]  # type: ignore[typeddict-item]
