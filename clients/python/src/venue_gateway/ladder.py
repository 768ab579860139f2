"""One side of a book: rows in order, best first, found by halving. Prices are compared as decimals, never as binary floating point."""

from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal

from .outcomes import Level


class Ladder:
    __slots__ = ("_keys", "_lowest_first", "rows")

    def __init__(self, *, lowest_first: bool) -> None:
        self._lowest_first = lowest_first
        # Of the rows at the same places, ascending.
        self._keys: list[Decimal] = []
        self.rows: list[Level] = []

    def apply(self, row: Level) -> None:
        price = Decimal(row[0])
        # copy_negate is exact; a minus sign would round to 28 digits.
        key = price if self._lowest_first else price.copy_negate()
        keys, rows = self._keys, self.rows
        at = bisect_left(keys, key)
        is_there = at < len(keys) and keys[at] == key
        if not Decimal(row[1]):
            if is_there:
                del keys[at], rows[at]
        elif is_there:
            rows[at] = row
        else:
            keys.insert(at, key)
            rows.insert(at, row)
