"""What the stream does with each word of the gateway that a test cannot make it say in seconds: tokens that expire after an hour, codes that
end a connection or a channel, and silence. The other end is a WebSocket server of a few lines that says these words.
"""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import websockets

from venue_gateway.aio import Book, Distrust, Gateway, Tokens
from venue_gateway.aio import stream as module
from venue_gateway.aio.session import Identity

Command = dict[str, Any]
# What goes out for a command, on which connection.
Say = Callable[[Command, int], list[dict[str, Any]]]


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def on_publication(self, data: Any) -> None:
        self.told.append(data)

    def on_subscribing(self) -> None:
        self.told.append("subscribing")

    def on_subscribed(self, *, was_recovering: bool, recovered: bool) -> None:
        self.told.append(("subscribed", was_recovering, recovered))

    def on_unsubscribed(self, code: int, reason: str) -> None:
        self.told.append(("unsubscribed", code, reason))


class Stranger:
    """Speaks by the test's script. Its connections are counted from 1."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self.commands: list[tuple[int, Command]] = []
        self.connections = 0

    async def serve(self, socket: Any, _path: str = "") -> None:
        self.connections += 1
        nth = self.connections
        async for text in socket:
            for command in map(json.loads, str(text).split("\n")):
                self.commands.append((nth, command))
                for answer in self._say(command, nth):
                    if "close" in answer:
                        await socket.close(*answer["close"])
                        return
                    is_reply = "push" not in answer and "ping" not in answer
                    await socket.send(json.dumps({"id": command["id"], **answer} if is_reply else answer))

    def of(self, kind: str) -> list[tuple[int, Any]]:
        return [(nth, command[kind]) for nth, command in self.commands if kind in command]


class StreamTest(unittest.IsolatedAsyncioTestCase):
    async def listen(
        self,
        say: Say,
        until: Callable[[Stranger, Heard], bool],
        tokens: list[str] | None = None,
        who: Tokens = Tokens("first", "refresh"),
    ) -> Any:
        stranger, heard = Stranger(say), Heard()
        serve: Any = getattr(websockets, "serve")
        renewed = iter(tokens or [])

        async def post(_name: str, _body: object) -> object:
            token = next(renewed)
            return {"accessToken": token, "refreshToken": f"after {token}"}

        async with serve(stranger.serve, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            gateway = Gateway(f"http://127.0.0.1:{port}", reconnect=(0.001, 0.01))
            gateway.stream._identity = Identity(who, post)
            try:
                gateway.stream.subscribe("channel", heard)
                async with asyncio.timeout(60):
                    while not until(stranger, heard):
                        await asyncio.sleep(0.002)
                # The test's own end is not told.
                gateway.stream._subscriptions.clear()
            finally:
                await gateway.close()
        return stranger, heard

    async def test_a_token_that_is_about_to_expire_is_renewed_on_the_same_connection(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            if "connect" in command:
                return [{"connect": {"expires": True, "ttl": 0}}]
            if "refresh" in command:
                return [{"refresh": {"expires": command["refresh"]["token"] != "third", "ttl": 0}}]
            return [{"subscribe": {}}]

        stranger, _ = await self.listen(say, lambda it, _: len(it.of("refresh")) == 2, ["second", "third"])
        self.assertEqual(stranger.of("refresh"), [(1, {"token": "second"}), (1, {"token": "third"})])
        self.assertEqual(stranger.connections, 1)

    async def test_a_token_that_has_expired_is_renewed_before_the_next_connection(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            if "connect" not in command:
                return [{"subscribe": {}}]
            if command["connect"]["token"] == "first":
                return [{"error": {"code": 109, "message": "token expired"}}]
            return [{"connect": {}}]

        stranger, heard = await self.listen(say, lambda _, it: len(it.told) == 1, ["second"])
        self.assertEqual([it["token"] for _, it in stranger.of("connect")], ["first", "second"])
        self.assertEqual(heard.told[0], ("subscribed", False, False))

    async def test_a_token_that_has_expired_with_nothing_to_have_another_by_is_the_end(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            return [{"error": {"code": 109, "message": "token expired"}}] if "connect" in command else []

        stranger, heard = await self.listen(
            say, lambda it, heard: bool(heard.told) or it.connections > 5, who=Tokens("first")
        )
        self.assertEqual(heard.told, [("unsubscribed", 109, "the token is over")])
        self.assertEqual(stranger.connections, 1)

    async def test_a_book_is_whole_at_once_after_a_cut_in_which_nothing_was_missed(self) -> None:
        told: list[Distrust | None] = []
        record: dict[str, Any] = {"updateType": "SNAPSHOT", "bids": [["1", "2"]], "asks": [], "sequence": 5, "timestamp": 1}

        def say(command: Command, nth: int) -> list[dict[str, Any]]:
            if "connect" in command:
                return [{"connect": {}}]
            result: dict[str, Any] = {"recoverable": True, "offset": 7, "epoch": "E"}
            # Three connections: of a venue that is silent, of one that is not, and what comes after it.
            if nth == 1:
                stale = {**record, "quality": "STALE"}
                return [{"subscribe": {**result, "publications": [{"data": stale}]}}, {"close": (3001, "shutdown")}]
            result |= {"was_recovering": True, "recovered": True}
            if nth == 2:
                synced = {**record, "updateType": "DIFF", "previousSequence": 5, "sequence": 6, "quality": "SYNCED"}
                push = {"channel": "market:orderbook:MOCK:BTC/USDT", "pub": {"data": synced, "offset": 8}}
                return [{"subscribe": result}, {"push": push}, {"close": (3001, "shutdown")}]
            return [{"subscribe": {**result, "offset": 8}}]

        serve: Any = getattr(websockets, "serve")
        async with serve(Stranger(say).serve, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with Gateway(f"http://127.0.0.1:{port}", reconnect=(0.001, 0.01)) as gateway:
                book = Book(gateway, "MOCK:BTC/USDT", on_trust=lambda why, _: told.append(why))
                async with asyncio.timeout(60):
                    while len(told) < 6:
                        await asyncio.sleep(0.002)
                self.assertEqual((told, book.sequence), (["STALE", "CUT", "STALE", None, "CUT", None], 6))

    async def test_a_close_of_3500_and_above_is_the_end_and_told(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            if "connect" in command:
                return [{"connect": {}}]
            return [{"subscribe": {}}, {"close": (3503, "force disconnect")}]

        stranger, heard = await self.listen(say, lambda _, it: len(it.told) == 3)
        self.assertEqual(
            heard.told,
            [("subscribed", False, False), "subscribing", ("unsubscribed", 3503, "force disconnect")],
        )
        self.assertEqual(stranger.connections, 1)

    async def test_after_a_close_below_3500_the_position_is_asked_for(self) -> None:
        def say(command: Command, nth: int) -> list[dict[str, Any]]:
            if "connect" in command:
                return [{"connect": {}}]
            if nth == 1:
                first = {"channel": "channel", "pub": {"data": "one", "offset": 8}}
                result = {"recoverable": True, "offset": 7, "epoch": "E"}
                return [{"subscribe": result}, {"push": first}, {"close": (3001, "shutdown")}]
            missed = [{"data": "two", "offset": 9}]
            result = {"recoverable": True, "offset": 9, "epoch": "E", "was_recovering": True, "recovered": True}
            return [{"subscribe": {**result, "publications": missed}}]

        stranger, heard = await self.listen(say, lambda _, it: "two" in it.told)
        self.assertEqual(
            heard.told, [("subscribed", False, False), "one", "subscribing", ("subscribed", True, True), "two"]
        )
        again = {"channel": "channel", "recover": True, "offset": 8, "epoch": "E"}
        self.assertEqual(stranger.of("subscribe"), [(1, {"channel": "channel"}), (2, again)])

    async def test_the_end_of_a_channel_is_for_good_below_2500_and_for_now_from_there(self) -> None:
        codes = iter([2500, 2410])

        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            if "connect" in command:
                return [{"connect": {}}]
            end = {"channel": "channel", "unsubscribe": {"code": next(codes), "reason": "word"}}
            return [{"subscribe": {}}, {"push": end}]

        stranger, heard = await self.listen(say, lambda _, it: ("unsubscribed", 2410, "word") in it.told)
        there = ("subscribed", False, False)
        self.assertEqual(heard.told, [there, "subscribing", there, ("unsubscribed", 2410, "word")])
        self.assertEqual(stranger.connections, 1)

    async def test_a_refusal_for_now_is_asked_again_and_any_other_is_the_end(self) -> None:
        errors = iter([{"code": 100, "message": "internal", "temporary": True}, {"code": 103, "message": "denied"}])

        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            return [{"connect": {}}] if "connect" in command else [{"error": next(errors)}]

        _, heard = await self.listen(say, lambda _, it: len(it.told) > 0)
        self.assertEqual(heard.told, [("unsubscribed", 103, "denied")])

    async def test_a_gateway_that_is_silent_is_left(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            return [{"connect": {"ping": 0.01, "pong": True}}] if "connect" in command else [{"subscribe": {}}]

        with patch.object(module, "_PATIENCE", 0.05):
            stranger, heard = await self.listen(say, lambda it, _: it.connections >= 3)
        self.assertIn("subscribing", heard.told)

    async def test_a_command_without_an_answer_ends_the_connection(self) -> None:
        def say(command: Command, nth: int) -> list[dict[str, Any]]:
            return [{"connect": {}}] if "connect" in command else [] if nth == 1 else [{"subscribe": {}}]

        with patch.object(module, "_PATIENCE", 0.05):
            _, heard = await self.listen(say, lambda it, heard: bool(heard.told) and it.connections >= 2)
        self.assertEqual(heard.told[0], ("subscribed", False, False))

    async def test_the_end_while_a_connection_opens_is_the_end_also_where_the_library_takes_no_notice(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            return [{"connect": {}}] if "connect" in command else [{"subscribe": {}}]

        opens = asyncio.Event()
        opening = module._open

        async def deaf(*given: Any, **options: Any) -> Any:
            """Python 3.11's `wait_for` does so where its work and a cancel meet."""
            opens.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            return await opening(*given, **options)

        serve: Any = getattr(websockets, "serve")
        async with serve(Stranger(say).serve, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            gateway = Gateway(f"http://127.0.0.1:{port}", reconnect=(0.001, 0.01))
            with patch.object(module, "_open", deaf):
                gateway.stream.subscribe("channel", Heard())
                await opens.wait()
                async with asyncio.timeout(10):
                    await gateway.close()

    async def test_pings_are_answered(self) -> None:
        def say(command: Command, _nth: int) -> list[dict[str, Any]]:
            if "connect" in command:
                return [{"connect": {"ping": 25, "pong": True}}]
            # What is neither an answer nor a push is one.
            return [{"subscribe": {}}, {"ping": True}] if "subscribe" in command else []

        stranger, _ = await self.listen(say, lambda it, _: (1, {}) in it.commands)
        self.assertEqual(stranger.connections, 1)


if __name__ == "__main__":
    unittest.main()
