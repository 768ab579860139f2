"""Calls that block. The one thing to know: a ``get`` is repeated by itself while it gets no definite answer; a ``post`` goes out once."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import httpx

from .. import aio
from ..answer import Answer
from ..generated.calls import Calls
from ..identity import Who
from ..outcomes import ClockSkew, Headers
from .threads import Threads


class Gateway(Calls):
    """One gateway, called by one user, from any thread. ``with``, or ``close()`` at the end."""

    def __init__(
        self,
        url: str,
        who: Who = None,
        *,
        timeout: float = 15.0,
        patience: float = 30.0,
        reconnect: tuple[float, float] = (0.5, 20.0),
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """``url``: http://127.0.0.1:8080; a path in front of /api/v3 is kept.

        ``timeout``: for one answer, seconds. ``patience``: so long a ``get`` is repeated. ``reconnect``: shortest and longest pause before
        the stream comes back. ``http``: a client of yours, for certificates or a proxy.
        """
        self.threads = Threads()
        self.inner = aio.Gateway(url, who, timeout=timeout, patience=patience, reconnect=reconnect, http=http)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream, the connections and their threads."""
        if not self.threads.is_over:
            self.threads.run(self.inner.close())
            self.threads.stop()

    def measure_clock(self, samples: int = 5) -> ClockSkew:
        """Compares the clocks by a few reads of the health record, a quarter of a second apart: each narrows what is possible."""
        return self.threads.run(self.inner.measure_clock(samples))

    def _read(self, name: str, query: Any, headers: Headers | None) -> Answer[Any]:
        return self.threads.run(self.inner._read(name, query, headers))

    def _write(self, name: str, body: Any, headers: Headers | None) -> Answer[Any]:
        return self.threads.run(self.inner._write(name, body, headers))

    def _pages(self, name: str, query: Any, headers: Headers | None) -> Iterator[Any]:
        pages = self.inner.whole_pages(name, query, headers)

        async def following() -> list[Any] | None:
            return await anext(pages, None)

        while (page := self.threads.run(following())) is not None:
            yield from page
