"""Calls of the gateway's HTTP API, typed by its own declaration.

The one thing to know: a ``get`` is repeated by itself while it gets no definite answer; a ``post`` goes out once, because only its caller
knows what a repeat means (``submit`` does, for orders).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any

import httpx

from ..answer import Answer
from ..errors import GatewayError, NoAnswer
from ..generated.calls import AsyncCalls
from ..generated.errno import Errno
from ..identity import Who
from ..outcomes import ClockSkew, Headers
from ..version import __version__
from .retry import patiently
from .session import Identity
from .stream import Stream

_PAGE = 100
_SAMPLE_PAUSE = 0.25
# A health record is answered to all who ask within so long after it was made, seconds.
_HEALTH_KEPT = 1.0
_RENEWED = frozenset({Errno.TOKEN_EXPIRED, Errno.SESSION_REVOKED, Errno.INVALID_TOKEN})


class Gateway(AsyncCalls):
    """One gateway, called by one user. ``async with``, or ``close()`` at the end."""

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
        the stream comes back. ``http``: a client of yours, for certificates or a proxy; it is yours to close.
        """
        self._base = url.rstrip("/")
        self._timeout = timeout
        self._patience = patience
        self._given = http
        self._made: httpx.AsyncClient | None = None
        self._identity = Identity(who, self._sign_in)
        # The connection for channels; it opens with the first of them.
        self.stream = Stream(self._base, self._identity, reconnect)

    async def __aenter__(self) -> Gateway:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the stream and the connections."""
        await self.stream.close()
        if self._made is not None:
            await self._made.aclose()
            self._made = None

    async def measure_clock(self, samples: int = 5) -> ClockSkew:
        """Compares the clocks by a few reads of the health record, a quarter of a second apart: each narrows what is possible."""
        if samples < 1:
            raise ValueError(f"samples must be 1 or more, not {samples}")
        low, high = float("-inf"), float("inf")
        for nth in range(samples):
            if nth > 0:
                await asyncio.sleep(_SAMPLE_PAUSE)
            sent_at = time.time()
            theirs = (await self.get("health"))["timestamp"] / 1000
            low = max(low, theirs - time.time())
            high = min(high, theirs + _HEALTH_KEPT - sent_at)
        return ClockSkew(skew=(low + high) / 2, error=max(0.0, high - low) / 2)

    async def _read(self, name: str, query: Any, headers: Headers | None) -> Answer[Any]:
        return await patiently(
            lambda: self._call("GET", name, query=query, headers=headers), patience=self._patience
        )

    async def _write(self, name: str, body: Any, headers: Headers | None) -> Answer[Any]:
        return await self._call("POST", name, body={} if body is None else body, headers=headers)

    async def _pages(self, name: str, query: Any, headers: Headers | None) -> AsyncIterator[Any]:
        async for page in self.whole_pages(name, query, headers):
            for item in page:
                yield item

    async def whole_pages(self, name: str, query: Any, headers: Headers | None) -> AsyncIterator[list[Any]]:
        asked: dict[str, Any] = {"limit": _PAGE, **(query or {})}
        offset = 0
        while True:
            answer = await self._read(name, asked, headers)
            yield answer.data
            offset += len(answer.data)
            pagination = answer.pagination
            if pagination is None or not pagination["hasNext"] or not answer.data:
                return
            cursor = pagination["cursor"]
            if cursor is None:
                asked["offset"] = offset
            else:
                asked["cursor"] = cursor

    async def _sign_in(self, name: str, body: Mapping[str, Any]) -> Any:
        return (await self._once("POST", name, body=body)).data

    async def _call(
        self, method: str, name: str, *, query: Any = None, body: Any = None, headers: Headers | None = None
    ) -> Answer[Any]:
        token = await self._identity.token()
        try:
            return await self._once(method, name, query=query, body=body, headers=headers, token=token)
        except GatewayError as error:
            # The token was refused before anything was done: the same call goes out again with a new one.
            if error.errno not in _RENEWED or not self._identity.is_renewable:
                raise
        renewed = await self._identity.renew(token)
        return await self._once(method, name, query=query, body=body, headers=headers, token=renewed)

    async def _once(
        self,
        method: str,
        name: str,
        *,
        query: Any = None,
        body: Any = None,
        headers: Headers | None = None,
        token: str | None = None,
    ) -> Answer[Any]:
        call = f"{method} {name}"
        sent = {"Content-Type": "application/json"} if body is not None else {}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._http.request(
                    method,
                    f"{self._base}/api/v3/{name}",
                    params=_params(query),
                    content=None if body is None else json.dumps(body).encode(),
                    headers={**sent, **(headers or {})},
                )
        except (httpx.HTTPError, TimeoutError) as cause:
            raise NoAnswer(call, str(cause) or type(cause).__name__) from cause
        retry_after = _retry_after(response.headers.get("Retry-After"))
        envelope = _envelope(response.content)
        if envelope is None:
            why = f"HTTP {response.status_code}, not the gateway's"
            raise NoAnswer(call, why, status=response.status_code, retry_after=retry_after)
        if not envelope["success"]:
            raise GatewayError(call, response.status_code, envelope, retry_after)
        return Answer(envelope["data"], envelope.get("pagination"), response.headers)

    @property
    def _http(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        if self._made is None:
            # The time of a call is measured as a whole: httpx counts each of its parts anew.
            self._made = httpx.AsyncClient(
                timeout=None, headers={"User-Agent": f"venue-gateway-python/{__version__}"}
            )
        return self._made


def _params(query: Mapping[str, Any] | None) -> list[tuple[str, str | int | float | bool | None]]:
    return [
        (name, _text(item))
        for name, value in (query or {}).items()
        for item in (value if isinstance(value, list | tuple) else [value])
        if item is not None
    ]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _envelope(content: bytes) -> dict[str, Any] | None:
    try:
        envelope = json.loads(content)
    except ValueError:
        return None
    return envelope if isinstance(envelope, dict) and isinstance(envelope.get("success"), bool) else None


def _retry_after(text: str | None) -> float | None:
    """Seconds, or a date."""
    if text is None:
        return None
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
