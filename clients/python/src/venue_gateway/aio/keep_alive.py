"""The dead man's switch of an account, renewed as long as this program lives and is heard.

The one thing to know: renewals keep their pace also while earlier ones wait for their answers, so that a request that the network swallowed
costs no more than itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..errors import NoAnswer
from .told import told

if TYPE_CHECKING:
    from .gateway import Gateway

# A quarter of the time each: two in a row may be lost, and the third one is there before the time is over.
_RENEWALS = 4
_CALL: Final = "tradeOrder/cancelAllAfter"


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
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._renewals: asyncio.Task[None] | None = None
        self._asked: set[asyncio.Task[None]] = set()
        self._renewed_at = self._loop.time()
        self._failure: Exception | None = None

    async def begin(self) -> KeptAlive:
        await self._arm(self._timeout)
        self._renewals = asyncio.create_task(self._renew())
        return self

    async def stop(self, *, disarm: bool) -> None:
        """Ends the renewals. ``disarm``: the switch is off, and what works goes on working; else the gateway cancels everything when the
        time is over. Exits count as orders, too.
        """
        self._ended.set()
        if self._renewals is not None:
            await self._renewals
        # One that arrives later would arm it again.
        await asyncio.gather(*self._asked)
        if disarm:
            await self._arm(0)

    async def _arm(self, seconds: float) -> None:
        timeout = round(seconds * 1000)
        await self._gateway.post(_CALL, {"tradingAccountId": self._account, "timeoutMs": timeout})

    async def _renew(self) -> None:
        every = self._timeout / _RENEWALS
        is_late = False
        while True:
            try:
                await asyncio.wait_for(self._ended.wait(), every)
                return
            except TimeoutError:
                pass
            silence = self._loop.time() - self._renewed_at
            if silence < self._timeout - every:
                is_late = False
                self._failure = None
            elif not is_late:
                is_late = True
                if self._on_late is not None:
                    told(self._on_late, self._failure or NoAnswer(f"POST {_CALL}", f"for {silence:.1f} s"))
            asked = self._loop.create_task(self._ask())
            self._asked.add(asked)
            asked.add_done_callback(self._asked.discard)

    async def _ask(self) -> None:
        asked_at = self._loop.time()
        try:
            # Of no use any more when the time is over.
            async with asyncio.timeout(self._timeout):
                await self._arm(self._timeout)
            self._renewed_at = max(self._renewed_at, asked_at)
        except Exception as error:
            self._failure = error


async def keep_alive(
    gateway: Gateway,
    trading_account_id: str,
    *,
    timeout: float,
    on_late: Callable[[Exception], None] | None = None,
) -> KeptAlive:
    """Arms the dead man's switch (``tradeOrder/cancelAllAfter``) and renews it. Raises when it cannot be armed.

    ``timeout``: without a renewal for so many seconds the gateway cancels all orders of the account. ``on_late``: a quarter of the time is
    left and nothing was answered: the switch may act, or has acted; told once each time.
    """
    return await KeptAlive(gateway, trading_account_id, timeout, on_late).begin()
