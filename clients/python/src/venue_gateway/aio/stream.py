"""The connection for channels: the Centrifuge protocol in JSON, over one WebSocket that opens when the first channel is asked for.

The one thing to know: after a cut it comes back by itself, subscribes again from the position that each channel had, and tells whether what
was missed follows. Listeners are called in the order in which things happened, and must not block.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import websockets
from websockets.exceptions import ConnectionClosed, WebSocketException

from ..errors import GatewayError, NoAnswer, is_passing
from ..version import __version__
from .session import Identity

# For a connection to open, seconds.
_OPENING = 10.0
# For the answer to a command, and beyond the gateway's own interval for its pings, seconds.
_PATIENCE = 10.0
_TOKEN_EXPIRED = 109
# A subscription that the gateway ends with one of these, or above, is to be asked for again.
_RESUBSCRIBE_FROM = 2500


class Listener(Protocol):
    """Of one subscription."""

    def on_publication(self, data: Any) -> None: ...

    def on_subscribing(self) -> None:
        """Not there for now; it comes back by itself."""

    def on_subscribed(self, *, was_recovering: bool, recovered: bool) -> None:
        """There. Recovered: what was missed follows."""

    def on_unsubscribed(self, code: int, reason: str) -> None:
        """Ended for good, by the gateway."""


class _Socket(Protocol):
    async def send(self, text: str) -> None: ...

    async def recv(self) -> str | bytes: ...

    async def close(self) -> None: ...


# Found by name since the package has it there in all versions, and says so to type checkers in none of the older ones.
_open: Callable[..., Awaitable[_Socket]] = getattr(websockets, "connect")


class _Cut(Exception):
    """This connection is of no use any more; another one may be."""


class _Ended(Exception):
    """The gateway does not want this client back."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{reason} ({code})")
        self.code = code
        self.reason = reason


class Subscription:
    def __init__(self, channel: str, listener: Listener) -> None:
        self.channel = channel
        self.listener = listener
        self.is_subscribed = False
        # The position of the last publication: what comes after it is asked for.
        self.offset: int | None = None
        self.epoch = ""
        # How many publications come with the subscription itself: the missed ones, where it is recovered.
        self.follow = 0
        self.tries = 0
        self.again: asyncio.TimerHandle | None = None


class Stream:
    def __init__(self, base: str, identity: Identity, reconnect: tuple[float, float]) -> None:
        self._url = f"{re.sub('^http', 'ws', base)}/connection/websocket"
        self._identity = identity
        self._reconnect = reconnect
        self._subscriptions: dict[str, Subscription] = {}
        self._running: asyncio.Task[None] | None = None
        self._connection: _Connection | None = None
        self._had: str | None = None
        self._tries = 0

    @property
    def is_connected(self) -> bool:
        return self._connection is not None and self._connection.is_open

    def subscribe(self, channel: str, listener: Listener) -> Subscription:
        """A channel; the caller ends it with ``leave``. Needs a running event loop."""
        if channel in self._subscriptions:
            raise ValueError(f"{channel} is subscribed already")
        subscription = Subscription(channel, listener)
        self._subscriptions[channel] = subscription
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._run())
        elif self._connection is not None and self._connection.is_open:
            self._connection.subscribe(subscription)
        return subscription

    def leave(self, subscription: Subscription) -> None:
        """Nothing is told of it from here on."""
        if self._subscriptions.get(subscription.channel) is not subscription:
            return
        del self._subscriptions[subscription.channel]
        if subscription.again is not None:
            subscription.again.cancel()
        if self._connection is not None and self._connection.is_open:
            self._connection.command({"unsubscribe": {"channel": subscription.channel}}, lambda _: None)

    async def close(self) -> None:
        self._end(0, "closed by this program")
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _run(self) -> None:
        # Not by its cancel alone: what opens a connection may swallow that (`wait_for` of Python 3.11 does).
        me = asyncio.current_task()
        while self._running is me:
            try:
                await self._connect()
            except _Ended as ended:
                return self._end(ended.code, ended.reason)
            except (GatewayError, NoAnswer) as error:
                # Signing in came to nothing.
                if not is_passing(error):
                    return self._end(0, str(error))
            except (_Cut, OSError, TimeoutError, WebSocketException):
                pass
            except Exception as error:
                asyncio.get_running_loop().call_exception_handler(
                    {"message": f"the gateway's stream met a defect, and begins anew: {error!r}", "exception": error}
                )
            await asyncio.sleep(self._pause(self._tries))
            self._tries += 1

    async def _connect(self) -> None:
        token = await self._token()
        socket = await _open(
            self._url, max_size=None, ping_interval=None, open_timeout=_OPENING, close_timeout=1.0
        )
        if self._running is not asyncio.current_task():
            return await socket.close()
        connection = _Connection(self, socket, token)
        self._connection = connection
        try:
            await connection.serve()
        finally:
            self._connection = None
            for subscription in list(self._subscriptions.values()):
                if subscription.again is not None:
                    subscription.again.cancel()
                if subscription.is_subscribed:
                    subscription.is_subscribed = False
                    subscription.listener.on_subscribing()

    async def _token(self) -> str:
        if self._had is None:
            self._had = await self._identity.token()
        return self._had or ""

    async def renewed(self) -> str:
        """In the place of a token that is about to expire, or was refused. The same one where there is nothing to have another by: whether
        it is over is the gateway's word.
        """
        if self.is_renewable:
            self._had = await self._identity.renew(self._had)
        return self._had or ""

    @property
    def is_renewable(self) -> bool:
        return self._identity.is_renewable

    def opened(self, connection: _Connection) -> None:
        self._tries = 0
        for subscription in self._subscriptions.values():
            connection.subscribe(subscription)

    def subscription_of(self, channel: str) -> Subscription | None:
        return self._subscriptions.get(channel)

    def lose(self, subscription: Subscription, code: int, reason: str) -> None:
        """For good."""
        if self._subscriptions.get(subscription.channel) is subscription:
            del self._subscriptions[subscription.channel]
            subscription.is_subscribed = False
            subscription.listener.on_unsubscribed(code, reason)

    def again(self, subscription: Subscription) -> None:
        """A little later, on the same connection."""
        pause = self._pause(subscription.tries)
        subscription.tries += 1
        subscription.again = asyncio.get_running_loop().call_later(pause, self._again, subscription)

    def _again(self, subscription: Subscription) -> None:
        if self._connection is not None and self._connection.is_open:
            self._connection.subscribe(subscription)

    def _pause(self, tries: int) -> float:
        shortest, longest = self._reconnect
        # By chance below the limit, so that many clients do not come back at once.
        return min(longest, shortest + random.random() * min(longest, shortest * 2.0 ** min(tries, 30)))

    def _end(self, code: int, reason: str) -> None:
        for subscription in list(self._subscriptions.values()):
            self.lose(subscription, code, reason)


class _Connection:
    """One WebSocket, from its first command to its end."""

    def __init__(self, stream: Stream, socket: _Socket, token: str) -> None:
        self._stream = stream
        self._socket = socket
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._pending: dict[int, tuple[Callable[[Any], None], asyncio.TimerHandle]] = {}
        self._number = 0
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._heard_at = self._loop.time()
        self._silence: float | None = None
        self._answers_pings = False
        self._timer: asyncio.TimerHandle | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self.is_open = False

    async def serve(self) -> None:
        """Until its end, which is an exception."""
        hello = {"token": self._token, "name": "python", "version": __version__}
        self.command({"connect": hello}, self._connected)
        tasks = [self._loop.create_task(it) for it in (self._read(), self._write(), self._watch())]
        try:
            await asyncio.wait([*tasks, self._over], return_when=asyncio.FIRST_COMPLETED)
            for done in (self._over, *tasks):
                if done.done():
                    done.result()
        finally:
            self.is_open = False
            for task in (*tasks, *([] if self._refreshing is None else [self._refreshing])):
                task.cancel()
            self._over.cancel()
            for _, timer in self._pending.values():
                timer.cancel()
            if self._timer is not None:
                self._timer.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._socket.close()

    def command(self, body: dict[str, Any], heard: Callable[[Any], None]) -> None:
        self._number += 1
        timer = self._loop.call_later(_PATIENCE, self._fail, _Cut("a command was not answered"))
        self._pending[self._number] = (heard, timer)
        self._outbox.put_nowait(json.dumps({"id": self._number, **body}))

    def subscribe(self, subscription: Subscription) -> None:
        asked: dict[str, Any] = {"channel": subscription.channel}
        if subscription.offset is not None:
            asked |= {"recover": True, "offset": subscription.offset, "epoch": subscription.epoch}
        self.command({"subscribe": asked}, lambda reply: self._subscribed(subscription, reply))

    async def _read(self) -> None:
        while True:
            try:
                text = await self._socket.recv()
            except ConnectionClosed as closed:
                rcvd = closed.rcvd
                if rcvd is not None and (3500 <= rcvd.code < 4000 or 4500 <= rcvd.code < 5000):
                    raise _Ended(rcvd.code, rcvd.reason) from closed
                raise
            self._heard_at = self._loop.time()
            for line in (text.decode() if isinstance(text, bytes) else text).split("\n"):
                if line:
                    self._hear(json.loads(line))

    async def _write(self) -> None:
        while True:
            lines = [await self._outbox.get()]
            while not self._outbox.empty():
                lines.append(self._outbox.get_nowait())
            await self._socket.send("\n".join(lines))

    async def _watch(self) -> None:
        """An open connection that is mute: the gateway pings, and does not wait for our pings."""
        while True:
            quiet = self._loop.time() - self._heard_at
            if self._silence is not None and quiet >= self._silence:
                raise _Cut("the gateway is silent")
            await asyncio.sleep(1.0 if self._silence is None else self._silence - quiet)

    def _hear(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if number is not None:
            heard, timer = self._pending.pop(number, (None, None))
            if heard is not None and timer is not None:
                timer.cancel()
                heard(message)
        elif "push" in message:
            self._push(message["push"])
        elif self._answers_pings:
            self._outbox.put_nowait("{}")

    def _push(self, push: dict[str, Any]) -> None:
        if (publication := push.get("pub")) is not None:
            subscription = self._stream.subscription_of(push["channel"])
            if subscription is not None and subscription.is_subscribed:
                self._publish(subscription, publication)
        elif (unsubscribe := push.get("unsubscribe")) is not None:
            subscription = self._stream.subscription_of(push["channel"])
            if subscription is None:
                return
            code = unsubscribe.get("code", 0)
            if code < _RESUBSCRIBE_FROM:
                self._stream.lose(subscription, code, unsubscribe.get("reason", ""))
            else:
                subscription.is_subscribed = False
                subscription.listener.on_subscribing()
                self._stream.again(subscription)
        elif (disconnect := push.get("disconnect")) is not None:
            code = disconnect.get("code", 0)
            is_end = 3500 <= code < 4000 or 4500 <= code < 5000
            self._fail(_Ended(code, disconnect.get("reason", "")) if is_end else _Cut(disconnect.get("reason", "")))

    @staticmethod
    def _publish(subscription: Subscription, publication: dict[str, Any]) -> None:
        if publication.get("offset"):
            subscription.offset = publication["offset"]
        subscription.listener.on_publication(publication["data"])

    def _connected(self, reply: dict[str, Any]) -> None:
        if (error := reply.get("error")) is not None:
            if error["code"] == _TOKEN_EXPIRED:
                if not self._stream.is_renewable:
                    return self._fail(_Ended(_TOKEN_EXPIRED, "the token is over"))
                return self._refresh_and(lambda _: self._fail(_Cut("the token had expired")))
            is_passing_by = error["code"] < 100 or error.get("temporary", False)
            return self._fail(_Cut(error["message"]) if is_passing_by else _Ended(error["code"], error["message"]))
        hello = reply["connect"]
        if hello.get("ping"):
            self._silence = hello["ping"] + _PATIENCE
        self._answers_pings = hello.get("pong", False)
        self.is_open = True
        self._expires(hello)
        self._stream.opened(self)

    def _expires(self, said: dict[str, Any]) -> None:
        if said.get("expires"):
            self._timer = self._loop.call_later(said.get("ttl", 0), self._refresh_and, self._refresh)

    def _refresh(self, token: str) -> None:
        self.command({"refresh": {"token": token}}, self._refreshed)

    def _refreshed(self, reply: dict[str, Any]) -> None:
        if "error" in reply:
            # The next connection has a token that is newer still.
            return self._refresh_and(lambda _: self._fail(_Cut("the token was refused")))
        self._expires(reply["refresh"])

    def _refresh_and(self, then: Callable[[str], None]) -> None:
        async def renew() -> None:
            try:
                then(await self._stream.renewed())
            except (GatewayError, NoAnswer) as error:
                self._fail(_Cut(str(error)) if is_passing(error) else _Ended(0, str(error)))

        self._refreshing = self._loop.create_task(renew())

    def _subscribed(self, subscription: Subscription, reply: dict[str, Any]) -> None:
        if self._stream.subscription_of(subscription.channel) is not subscription:
            return
        if (error := reply.get("error")) is not None:
            code = error["code"]
            if code < 100 or code == _TOKEN_EXPIRED or error.get("temporary", False):
                return self._stream.again(subscription)
            return self._stream.lose(subscription, code, error["message"])
        result = reply["subscribe"]
        subscription.is_subscribed = True
        subscription.tries = 0
        if result.get("recoverable"):
            subscription.offset = result.get("offset", 0)
            subscription.epoch = result.get("epoch", "")
        publications = result.get("publications") or []
        subscription.follow = len(publications)
        subscription.listener.on_subscribed(
            was_recovering=result.get("was_recovering", False), recovered=result.get("recovered", False)
        )
        for publication in publications:
            if self._stream.subscription_of(subscription.channel) is not subscription:
                return
            self._publish(subscription, publication)

    def _fail(self, error: Exception) -> None:
        if not self._over.done():
            self._over.set_exception(error)
