"""The two threads behind the blocking client: one runs the asyncio client, one calls the bot's callbacks.

The one thing to know: a callback may call anything of this client, and may take its time; they are called one after the other, in the order
in which things happened.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
P = ParamSpec("P")

_log = logging.getLogger("venue_gateway")


class Threads:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._told: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self.is_over = False
        self._threads = [
            threading.Thread(target=self._loop.run_forever, name="venue-gateway", daemon=True),
            threading.Thread(target=self._tell, name="venue-gateway-callbacks", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Waits for it. What interrupts the waiting calls it off."""
        if self.is_over:
            work.close()
            raise RuntimeError("the gateway's client is closed")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def call(self, function: Callable[[], T]) -> T:
        """Between two steps of the other thread: what it reads is of one moment."""

        async def called() -> T:
            return function()

        return self.run(called())

    def later(self, callback: Callable[P, object]) -> Callable[P, None]:
        """The callback, called by its own thread."""

        def put(*args: P.args, **kwargs: P.kwargs) -> None:
            self._told.put(lambda: callback(*args, **kwargs))

        return put

    def latest(self, callback: Callable[[], object]) -> Callable[[object], None]:
        """The same, at most one waiting: a callback that takes its time is called once for all that changed meanwhile."""
        is_waiting = False

        def call() -> None:
            nonlocal is_waiting
            is_waiting = False
            callback()

        def put(_: object) -> None:
            nonlocal is_waiting
            if not is_waiting:
                is_waiting = True
                self._told.put(call)

        return put

    def stop(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        self._told.put(None)
        self._loop.call_soon_threadsafe(self._loop.stop)
        for thread in self._threads:
            # A callback may be what closes the client.
            if thread is not threading.current_thread():
                thread.join()
        self._loop.close()

    def _tell(self) -> None:
        while (callback := self._told.get()) is not None:
            try:
                callback()
            except Exception:
                _log.exception("a callback of the gateway's client raised")


def in_place(callback: Callable[[A, B], object], mine: B) -> Callable[[A, object], None]:
    """The callback with what the bot knows, in the place of what is inside."""

    def call(what: A, _inside: object) -> None:
        callback(what, mine)

    return call
