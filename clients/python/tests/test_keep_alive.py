"""The pace of renewals, by a clock that the test turns. The requests are the client's own, ended at its transport; that the gateway does cancel
is tested in test_aio.
"""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import httpx

from venue_gateway.aio import Gateway, KeptAlive, NoAnswer, keep_alive

TIMEOUT = 20.0
Trouble = Literal["answers", "refuses", "swallows"]


class HandTurned(asyncio.SelectorEventLoop):
    """Its time stands still while there is something to do, and jumps to the next timer where there is not."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        selector: Any = getattr(self, "_selector")
        select = selector.select

        def jump(timeout: float | None = None) -> Any:
            found = select(0)
            if not found and timeout is not None:
                self._now += timeout
            return found

        selector.select = jump

    def time(self) -> float:
        return self._now


class Network(httpx.AsyncBaseTransport):
    """Answers, refuses connections, or swallows requests; keeps when each left, and what it armed."""

    def __init__(self) -> None:
        self.does: Trouble = "answers"
        self.asked: list[tuple[float, int]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        now = asyncio.get_running_loop().time()
        self.asked.append((now, json.loads(request.content)["timeoutMs"]))
        if self.does == "refuses":
            raise httpx.ConnectError("refused")
        if self.does == "swallows":
            await asyncio.Event().wait()
        return httpx.Response(200, json={"success": True, "data": {}})


class Renewals(unittest.TestCase):
    def turned(self, story: Callable[[KeptAlive, Network, list[Exception]], Awaitable[None]]) -> None:
        async def tell() -> None:
            network, late = Network(), list[Exception]()
            async with httpx.AsyncClient(transport=network) as http:
                gateway = Gateway("http://gateway", http=http)
                kept = await keep_alive(gateway, "account", timeout=TIMEOUT, on_late=late.append)
                await story(kept, network, late)

        with asyncio.Runner(loop_factory=HandTurned) as runner:
            runner.run(tell())

    def test_leave_so_often_that_two_in_a_row_may_be_lost(self) -> None:
        async def story(kept: KeptAlive, network: Network, late: list[Exception]) -> None:
            await asyncio.sleep(3 * TIMEOUT - 1)
            times = [at for at, _ in network.asked]
            for one, third in zip(times, times[3:]):
                self.assertLess(third - one, TIMEOUT)
            self.assertGreater(times[-1] + TIMEOUT / 3, 3 * TIMEOUT - 1)
            # Nor much more often: each is a request of the account's allowance.
            self.assertLessEqual(len(times), 3 * 4)
            self.assertEqual({timeout for _, timeout in network.asked}, {TIMEOUT * 1000})
            self.assertEqual(late, [])
            await kept.stop(disarm=True)
            self.assertEqual(network.asked[-1][1], 0)
            count = len(network.asked)
            await asyncio.sleep(TIMEOUT)
            self.assertEqual(len(network.asked), count)

        self.turned(story)

    def test_trouble_changes_nothing_of_their_pace_and_is_told_before_the_time_is_over_once_each_time(self) -> None:
        async def story(kept: KeptAlive, network: Network, late: list[Exception]) -> None:
            # Never at the moment of a renewal.
            await asyncio.sleep(1)
            troubles: list[Trouble] = ["refuses", "refuses", "swallows", "swallows"]
            for told, trouble in enumerate(troubles, 1):
                network.does = trouble
                before = len(network.asked)
                await asyncio.sleep(TIMEOUT - 2)
                self.assertEqual(len(network.asked) - before, 3)
                self.assertEqual(len(late), told)
                self.assertIsInstance(late[-1], NoAnswer)
                await asyncio.sleep(TIMEOUT)
                self.assertEqual(len(late), told)
                network.does = "answers"
                await asyncio.sleep(TIMEOUT + 2)
            await kept.stop(disarm=False)

        self.turned(story)


if __name__ == "__main__":
    unittest.main()
