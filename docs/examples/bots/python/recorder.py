"""A recorder: every record of a market's book and trades to a file, one JSON line each, and a line where something may be missing.

It needs no account. At its end it reads its own file again and says whether each DIFF of the book follows the one before it.
"""

import asyncio
import json
import os
import signal
import time
from contextlib import suppress
from typing import IO, Any

from me import URL, me
from venue_gateway.aio import Gateway

INSTRUMENT = os.environ.get("INSTRUMENT", "MOCK:BTC/USDT")
PATH = os.environ.get("RECORD", "record.jsonl")
SECONDS = float(os.environ.get("SECONDS", "inf"))


class Recorder:
    """The listener of one channel."""

    def __init__(self, channel: str, file: IO[str]) -> None:
        self.channel = channel
        self._file = file

    def on_publication(self, data: Any) -> None:
        self._write({"data": data})

    def on_subscribing(self) -> None:
        self._write({"mark": "CUT"})

    def on_subscribed(self, *, was_recovering: bool, recovered: bool) -> None:
        # Recovered: what was missed follows, nothing is missing.
        self._write({"mark": "RECOVERED" if recovered else "GAP" if was_recovering else "BEGUN"})

    def on_unsubscribed(self, code: int, reason: str) -> None:
        self._write({"mark": f"ENDED {code} {reason}"})

    def _write(self, what: dict[str, Any]) -> None:
        line = {"at": time.time_ns() // 1_000_000, "channel": self.channel, **what}
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")


def verdict(path: str) -> str:
    """By the file alone: how much there is, and how often a DIFF does not follow."""
    records, breaks, sequence = 0, 0, None
    with open(path) as file:
        for line in map(json.loads, file):
            book = line.get("data", {})
            records += "data" in line
            if "updateType" not in book:
                continue
            breaks += book["updateType"] == "DIFF" and book["previousSequence"] != sequence
            sequence = book["sequence"]
    return f"recorded {records}, breaks {breaks}, book at {sequence}"


async def main() -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    with open(PATH, "w") as file:
        async with Gateway(URL, me()) as gateway:
            for channel in (f"market:orderbook:{INSTRUMENT}", f"market:trade:{INSTRUMENT}"):
                gateway.stream.subscribe(channel, Recorder(channel, file))
            with suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), SECONDS if SECONDS < 1e9 else None)
    print(verdict(PATH))


if __name__ == "__main__":
    asyncio.run(main())
