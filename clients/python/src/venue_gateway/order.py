"""Whether an order is over."""

from __future__ import annotations

from .generated.records import SubmittedOrder, TradeOrder

_OVER = frozenset({"FILLED", "CANCELLED", "REJECTED", "EXPIRED"})


def is_over(order: TradeOrder | SubmittedOrder) -> bool:
    """Whether nothing more is to come; a fill that the venue reports late still counts (LATE_FILL)."""
    return order["status"] in _OVER
