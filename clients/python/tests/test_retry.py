"""The pace of what is repeated: never before the time that the gateway asks for."""

from __future__ import annotations

import time
import unittest
from email.utils import formatdate

from venue_gateway.aio import GatewayError, NoAnswer, patiently
from venue_gateway.aio.gateway import _retry_after


def refusal(status: int, retry_after: float | None) -> GatewayError:
    words = {"error": "words", "errno": -1, "details": {"code": "CODE"}}
    return GatewayError("GET name", status, words, retry_after)


class Pace(unittest.IsolatedAsyncioTestCase):
    async def test_the_next_attempt_comes_no_sooner_than_the_gateway_asks_for(self) -> None:
        at: list[float] = []

        async def attempt() -> str:
            at.append(time.monotonic())
            if len(at) == 1:
                raise refusal(429, 0.6)
            return "answer"

        self.assertEqual(await patiently(attempt, patience=60), "answer")
        self.assertGreaterEqual(at[1] - at[0], 0.6)

    async def test_what_is_asked_for_beyond_the_patience_is_not_waited_for_and_a_refusal_is_final(self) -> None:
        for error in (refusal(503, 3_600), refusal(400, None), NoAnswer("GET name", "cut", retry_after=3_600)):
            tries = 0

            async def attempt() -> str:
                nonlocal tries
                tries += 1
                raise error

            with self.assertRaises(type(error)):
                await patiently(attempt, patience=30)
            self.assertEqual(tries, 1)

    async def test_it_is_read_as_seconds_or_as_a_date(self) -> None:
        self.assertEqual(_retry_after("7"), 7.0)
        self.assertIsNone(_retry_after(None))
        self.assertIsNone(_retry_after("soon"))
        self.assertEqual(_retry_after(formatdate(0, usegmt=True)), 0.0)
        self.assertGreater(_retry_after(formatdate(time.time() + 900, usegmt=True)) or 0, 600)
