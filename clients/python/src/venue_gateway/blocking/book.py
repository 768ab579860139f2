"""A copy of one order book, and whether it may be traded on. The one thing to know: what is read of it is a copy of one moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .. import aio
from ..outcomes import Distrust, Level, Sides, Verdict
from .gateway import Gateway
from .threads import in_place


class Book:
    def __init__(
        self,
        gateway: Gateway,
        instrument_id: str,
        *,
        on_change: Callable[[Book], None] | None = None,
        on_trust: Callable[[Distrust | None, Book], None] | None = None,
        silence: float = 10.0,
    ) -> None:
        """``on_change``: after changes, once for all that there were since its last call. ``on_trust``: when trust is lost, and when it is
        back (None).

        ``silence``: so long a book may be silent before it is not trusted any more, seconds; ``math.inf`` for quiet markets.
        """
        self.instrument_id = instrument_id
        self._threads = gateway.threads
        changed = None if on_change is None else self._threads.latest(partial(on_change, self))
        trusted = None if on_trust is None else self._threads.later(in_place(on_trust, self))

        def make() -> None:
            # Told of before this thread goes on: the book is there by then.
            self._book = aio.Book(
                gateway.inner, instrument_id, on_change=changed, on_trust=trusted, silence=silence
            )

        self._threads.call(make)

    @property
    def bids(self) -> list[Level]:
        """Highest price first."""
        return self.sides().bids

    @property
    def asks(self) -> list[Level]:
        """Lowest price first."""
        return self.sides().asks

    def sides(self) -> Sides:
        """Both sides of one moment: copies."""
        return self._threads.call(self._book.sides)

    @property
    def is_trusted(self) -> bool:
        return self.distrust is None

    @property
    def distrust(self) -> Distrust | None:
        """None: it is trusted."""
        return self._book.distrust

    @property
    def sequence(self) -> int | None:
        """Of the last publication; None: there is no book."""
        return self._book.sequence

    @property
    def timestamp(self) -> int | None:
        """The venue's time, ms."""
        return self._book.timestamp

    @property
    def gaps(self) -> int:
        """How many gaps were met."""
        return self._book.gaps

    def ready(self) -> Book:
        """Returns when the book may be traded on."""
        self._threads.run(self._book.ready())
        return self

    def verify(self) -> Verdict:
        """Compares the best 1,000 levels of each side with what the gateway has at the same sequence, string for string."""
        return self._threads.run(self._book.verify())

    def close(self) -> None:
        self._threads.call(self._book.close)
