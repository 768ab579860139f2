"""A copy of one order book, and whether it may be traded on: SNAPSHOT and DIFFs put together, each DIFF only onto the book that it follows.

The one thing to know: ``is_trusted`` is False from the moment on that something is missing, late or said by the venue to be wrong, and True
again only when the book is whole; every time is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..ladder import Ladder
from ..outcomes import Different, Distrust, Level, Same, Sides, Verdict
from .stream import Subscription
from .told import told

if TYPE_CHECKING:
    from .gateway import Gateway

# The deepest read over HTTP, which tells the best rows of each side.
_VERIFY_DEPTH = 1_000
_VERIFY_TRIES = 20
_VERIFY_WAIT = 2.0


class Book:
    """Needs a running event loop; follows its channel from the first moment on."""

    def __init__(
        self,
        gateway: Gateway,
        instrument_id: str,
        *,
        on_change: Callable[[Book], None] | None = None,
        on_trust: Callable[[Distrust | None, Book], None] | None = None,
        silence: float = 10.0,
    ) -> None:
        """``on_change``: after each change; the book is whole then. ``on_trust``: when trust is lost, and when it is back (None).

        ``silence``: so long a book may be silent before it is not trusted any more, seconds; ``math.inf`` for quiet markets.
        """
        self.instrument_id = instrument_id
        self._gateway = gateway
        self._on_change = on_change
        self._on_trust = on_trust
        self._silence = silence
        self._loop = asyncio.get_running_loop()
        self._bids = Ladder(lowest_first=False)
        self._asks = Ladder(lowest_first=True)
        self._why: Distrust | None = "OPENING"
        # What the gateway said last of the venue's book; None: it is SYNCED.
        self._quality: Distrust | None = None
        # Why nothing comes any more.
        self._ended: str | None = None
        # Set while the book is trusted, or over.
        self._settled = asyncio.Event()
        self._heard_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        # The book after each publication, by its sequence, while it is being verified.
        self._seen: dict[int, Sides] | None = None
        # Of the last publication; None: there is no book.
        self.sequence: int | None = None
        # The venue's time, ms.
        self.timestamp: int | None = None
        # How many gaps were met.
        self.gaps = 0
        self._subscription: Subscription | None = None
        self._watch()

    @property
    def bids(self) -> list[Level]:
        """Highest price first."""
        return self._bids.rows

    @property
    def asks(self) -> list[Level]:
        """Lowest price first."""
        return self._asks.rows

    def sides(self) -> Sides:
        """Both sides of one moment: copies."""
        return Sides(list(self._bids.rows), list(self._asks.rows))

    @property
    def is_trusted(self) -> bool:
        return self._why is None

    @property
    def distrust(self) -> Distrust | None:
        """None: it is trusted."""
        return self._why

    async def ready(self) -> Book:
        """Returns when the book may be traded on."""
        while not self.is_trusted:
            if self._ended is not None:
                raise RuntimeError(f"the book of {self.instrument_id} has ended: {self._ended}")
            await self._settled.wait()
        return self

    async def verify(self) -> Verdict:
        """Compares the best 1,000 levels of each side with what the gateway has at the same sequence, string for string."""
        for _ in range(_VERIFY_TRIES):
            seen: dict[int, Sides] = {}
            self._seen = seen
            self._note()
            try:
                theirs = await self._gateway.get(
                    "market/orderbook/get", {"instrumentId": self.instrument_id, "depth": _VERIFY_DEPTH}
                )
                sequence = theirs["sequence"]
                give_up_at = self._loop.time() + _VERIFY_WAIT
                while (self.sequence is None or self.sequence < sequence) and self._loop.time() < give_up_at:
                    await asyncio.sleep(0.005)
            finally:
                self._seen = None
            mine = seen.get(sequence)
            # Publications may take several of the venue's updates together: this sequence was none of ours.
            if mine is None:
                continue
            both = Sides(theirs["bids"], theirs["asks"])
            return Same(sequence) if mine == both else Different(sequence, mine, both)
        raise RuntimeError(
            f"no sequence of {self.instrument_id} was seen on both ways in {_VERIFY_TRIES} tries"
        )

    def close(self) -> None:
        if self._subscription is not None:
            self._gateway.stream.leave(self._subscription)
        self._end("closed by this program (0)")

    def on_publication(self, data: Any) -> None:
        if data["updateType"] == "SNAPSHOT":
            self._bids = Ladder(lowest_first=False)
            self._asks = Ladder(lowest_first=True)
        elif data["previousSequence"] != self.sequence:
            return self._begin()
        for row in data["bids"]:
            self._bids.apply(row)
        for row in data["asks"]:
            self._asks.apply(row)
        self.sequence = data["sequence"]
        self.timestamp = data["timestamp"]
        self._quality = None if data["quality"] == "SYNCED" else data["quality"]
        self._heard()
        if self._seen is not None:
            self._note()
        self._trust(self._quality)
        if self._on_change is not None:
            told(self._on_change, self)

    def on_subscribing(self) -> None:
        if self.sequence is not None:
            self._trust("CUT")

    def on_subscribed(self, *, was_recovering: bool, recovered: bool) -> None:
        # Recovered: what was missed follows, and DIFFs fit; where nothing was missed, the book is the gateway's. Else a SNAPSHOT follows.
        if was_recovering and not recovered:
            self.sequence = None
        is_whole = recovered and self._subscription is not None and self._subscription.follow == 0
        if is_whole and self.sequence is not None:
            self._heard()
            self._trust(self._quality)

    def on_unsubscribed(self, code: int, reason: str) -> None:
        self._end(f"{reason} ({code})")

    def _watch(self) -> None:
        channel = f"market:orderbook:{self.instrument_id}"
        self._subscription = self._gateway.stream.subscribe(channel, self)

    def _begin(self) -> None:
        """A new subscription starts with a SNAPSHOT."""
        self.gaps += 1
        self.sequence = None
        self._trust("GAP")
        if self._subscription is not None and self._ended is None:
            self._gateway.stream.leave(self._subscription)
            self._watch()

    def _note(self) -> None:
        if self._seen is not None and self.sequence is not None:
            self._seen[self.sequence] = Sides(self.bids[:_VERIFY_DEPTH], self.asks[:_VERIFY_DEPTH])

    def _heard(self) -> None:
        self._heard_at = self._loop.time()
        if self._timer is None and isfinite(self._silence):
            self._timer = self._loop.call_later(self._silence, self._listen)

    def _listen(self) -> None:
        """One timer for all publications: each of its own would cost more than to apply it."""
        self._timer = None
        left = self._heard_at + self._silence - self._loop.time()
        if left <= 0:
            self._trust("SILENT")
        else:
            self._timer = self._loop.call_later(left, self._listen)

    def _end(self, why: str) -> None:
        self._ended = self._ended or why
        self._subscription = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._trust("ENDED")
        self._settled.set()

    def _trust(self, why: Distrust | None) -> None:
        if why == self._why:
            return
        self._why = why
        if why is None:
            self._settled.set()
        else:
            self._settled.clear()
        if self._on_trust is not None:
            told(self._on_trust, why, self)
