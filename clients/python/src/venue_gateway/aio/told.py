"""Calls a callback of the bot's. What it raises is the bot's affair: it must not end the stream for all other channels."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def told(callback: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
    try:
        callback(*args, **kwargs)
    except Exception as error:
        asyncio.get_running_loop().call_exception_handler(
            {"message": f"a callback of the gateway's client raised: {error!r}", "exception": error}
        )
