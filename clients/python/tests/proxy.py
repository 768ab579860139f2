"""A TCP proxy in front of a gateway, whose connections a test can cut, keep cut, or lose where an answer begins: what a bad network does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from urllib.parse import urlsplit

from .bot import until


class Proxy:
    """Runs in a thread of its own, so that a test that blocks can use it."""

    def __init__(self, url: str) -> None:
        self._target = (urlsplit(url).hostname or "", urlsplit(url).port or 80)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._open: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self._planned = 0
        self.losses = 0
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop
        ).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Ends every connection; until ``mend`` new ones end at once too."""
        self._within(lambda: self._set_cut(True))

    def mend(self) -> None:
        self._within(lambda: self._set_cut(False))

    def lose(self) -> None:
        """The next request arrives, and the connection ends where the answer begins."""
        self._planned += 1

    def close(self) -> None:
        self.cut()
        self._within(self._server.close)
        # What it still pumps ends with its connections.
        until("the proxy's connections to end", lambda: not self._open)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _within(self, function: Callable[[], None]) -> None:
        async def called() -> None:
            function()

        asyncio.run_coroutine_threadsafe(called(), self._loop).result()

    def _set_cut(self, is_cut: bool) -> None:
        self._is_cut = is_cut
        if is_cut:
            for writer in self._open:
                writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            return writer.transport.abort()
        upstream_reader, upstream = await asyncio.open_connection(*self._target)
        ends = {writer, upstream}
        self._open |= ends
        pumps = [self._pump(reader, upstream, is_answer=False), self._pump(upstream_reader, writer, is_answer=True)]
        await asyncio.gather(*pumps, return_exceptions=True)
        self._open -= ends

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool) -> None:
        try:
            while chunk := await reader.read(65_536):
                if is_answer and self._planned > 0:
                    self._planned -= 1
                    self.losses += 1
                    break
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
