"""The token of each call. The one thing to know: a renewal is made once for all who wait, since each login counts towards the gateway's
limits and a refresh token works once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..errors import GatewayError
from ..identity import ApiKey, Password, Tokens, Who

Post = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


class Identity:
    def __init__(self, who: Who, post: Post) -> None:
        self._who = who
        self._post = post
        self._tokens = who if isinstance(who, Tokens) else None
        self._renewing: asyncio.Task[str] | None = None

    @property
    def is_renewable(self) -> bool:
        """A session can be had anew where there is a password or a refresh token; a key cannot."""
        return isinstance(self._who, Password) or (self._tokens is not None and self._tokens.refresh_token is not None)

    async def token(self) -> str | None:
        """The token for a call; logs in the first time. None: there is no user."""
        if self._who is None:
            return None
        if isinstance(self._who, ApiKey):
            return self._who.key
        return await self.renew() if self._tokens is None else self._tokens.access_token

    async def renew(self, refused: str | None = None) -> str:
        """A token in the place of ``refused``; the one that a renewal has brought meanwhile, if there is one."""
        now = self._tokens
        if refused is not None and now is not None and now.access_token != refused:
            return now.access_token
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._renew())
            self._renewing.add_done_callback(self._renewed)
        # The one who waits may be cancelled, not what all the others wait for.
        return await asyncio.shield(self._renewing)

    def _renewed(self, task: asyncio.Task[str]) -> None:
        self._renewing = None
        if not task.cancelled():
            # Seen by those who wait; all of them may have been cancelled.
            task.exception()

    async def _renew(self) -> str:
        session = await self._session()
        self._tokens = Tokens(session["accessToken"], session["refreshToken"])
        return self._tokens.access_token

    async def _session(self) -> Any:
        refresh_token = None if self._tokens is None else self._tokens.refresh_token
        person = self._who if isinstance(self._who, Password) else None
        if refresh_token is not None:
            try:
                return await self._post("auth/token/refresh", {"refreshToken": refresh_token})
            except GatewayError as error:
                # Only a 401 ends the session; without an answer the same token is good once more.
                if person is None or error.status != 401:
                    raise
        if person is None:
            raise RuntimeError("there is neither a password nor a refresh token to sign in with")
        self._tokens = None
        return await self._post("auth/login", {"email": person.email, "password": person.password})
