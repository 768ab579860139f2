"""Patience: one attempt after the other until the answer is definite, at the pace that the gateway asks for."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..errors import GatewayError, NoAnswer, is_passing

T = TypeVar("T")
OnAttempt = Callable[[GatewayError | NoAnswer], None]

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 5.0


async def patiently(
    attempt: Callable[[], Awaitable[T]], *, patience: float, on_attempt: OnAttempt | None = None
) -> T:
    """Repeats what failed for now, never what was refused, for so many seconds. Raises the last failure when patience is over."""
    give_up_at = time.monotonic() + patience
    wait = FIRST_PAUSE
    while True:
        try:
            return await attempt()
        except (GatewayError, NoAnswer) as error:
            if not is_passing(error):
                raise
            if on_attempt is not None:
                on_attempt(error)
            # A share by chance, so that many bots do not come back at once.
            pause = max(error.retry_after or 0.0, wait) * (1 + random.random() / 4)
            if time.monotonic() + pause > give_up_at:
                raise
        await asyncio.sleep(pause)
        wait = min(2 * wait, LONGEST_PAUSE)
