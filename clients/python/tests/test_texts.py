"""Signatures and texts stand twice, for asyncio and without it, because type checkers and editors read them where they stand: here they are held
to each other.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Iterator
from typing import Any

import venue_gateway as blocking
from venue_gateway import aio

# What differs since the thing itself does: a thread of its own runs, or calls.
DIFFERENT = {"Account", "Book", "Book.__init__", "Gateway", "Gateway.__init__", "Gateway.close", "KeptAlive", "submit"}


def texts(package: Any) -> Iterator[tuple[str, str | None]]:
    for name in package.__all__:
        found = getattr(package, name)
        if not getattr(found, "__module__", "").startswith(("venue_gateway.aio", "venue_gateway.blocking")):
            continue
        yield name, found.__doc__
        if inspect.isclass(found):
            for member, value in vars(found).items():
                if member == "__init__" or not member.startswith("_"):
                    yield f"{name}.{member}", value.__doc__


class Texts(unittest.TestCase):
    def test_what_has_one_name_says_one_thing(self) -> None:
        awaiting, waiting = dict(texts(aio)), dict(texts(blocking))
        both = awaiting.keys() & waiting.keys() - DIFFERENT
        self.assertGreater(len(both), 15)
        for name in sorted(both):
            said, here = (inspect.cleandoc(it or "") for it in (awaiting[name], waiting[name]))
            with self.subTest(name):
                self.assertEqual(here, said)

    def test_what_differs_is_there(self) -> None:
        awaiting, waiting = dict(texts(aio)), dict(texts(blocking))
        self.assertEqual({name for name in DIFFERENT if awaiting[name] == waiting[name]}, set())


if __name__ == "__main__":
    unittest.main()
