"""The dead man's switch of an account, renewed as long as this program lives and is heard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .told import told

if TYPE_CHECKING:
    from .gateway import Gateway

# A third of the time: two renewals may be lost.
_RENEWALS = 3


class KeptAlive:
    def __init__(
        self,
        gateway: Gateway,
        trading_account_id: str,
        timeout: float,
        on_late: Callable[[Exception], None] | None,
    ) -> None:
        self._gateway = gateway
        self._account = trading_account_id
        self._timeout = timeout
        self._on_late = on_late
        self._ended = asyncio.Event()
        self._renewals: asyncio.Task[None] | None = None

    async def begin(self) -> KeptAlive:
        await self._arm(self._timeout)
        self._renewals = asyncio.create_task(self._renew(time.monotonic()))
        return self

    async def stop(self, *, disarm: bool) -> None:
        """Ends the renewals. ``disarm``: the switch is off, and what works goes on working; else the gateway cancels everything when the
        time is over. Exits count as orders, too.
        """
        self._ended.set()
        if self._renewals is not None:
            await self._renewals
        if disarm:
            await self._arm(0)

    async def _arm(self, seconds: float) -> None:
        timeout = round(seconds * 1000)
        await self._gateway.post(
            "tradeOrder/cancelAllAfter", {"tradingAccountId": self._account, "timeoutMs": timeout}
        )

    async def _renew(self, renewed_at: float) -> None:
        is_late = False
        pause = self._timeout / _RENEWALS
        while True:
            try:
                await asyncio.wait_for(self._ended.wait(), pause)
                return
            except TimeoutError:
                pass
            asked_at = time.monotonic()
            try:
                await self._arm(self._timeout)
                renewed_at = asked_at
                is_late = False
            except Exception as error:
                if is_late or time.monotonic() - renewed_at < self._timeout - pause:
                    continue
                is_late = True
                if self._on_late is not None:
                    told(self._on_late, error)


async def keep_alive(
    gateway: Gateway,
    trading_account_id: str,
    *,
    timeout: float,
    on_late: Callable[[Exception], None] | None = None,
) -> KeptAlive:
    """Arms the dead man's switch (``tradeOrder/cancelAllAfter``) and renews it. Raises when it cannot be armed.

    ``timeout``: without a renewal for so many seconds the gateway cancels all orders of the account. ``on_late``: the switch may act, or has
    acted: renewals have not been answered; told once each time.
    """
    return await KeptAlive(gateway, trading_account_id, timeout, on_late).begin()
