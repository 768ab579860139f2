"""What the helpers answer, with asyncio and without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .errors import GatewayError, NoAnswer
from .generated.records import SubmittedOrder

# [price, quantity, order count], in the venue's own digits.
Level: TypeAlias = list[str]

# Why a book is not trusted. OPENING: no SNAPSHOT yet. CUT: the connection is cut, and comes back by itself. GAP: a DIFF did not follow, the
# channel begins anew. RESYNCING: the venue's book is being put together again. STALE: the venue is silent, says the gateway. SILENT: nothing
# was told for `silence` seconds over an open connection. ENDED: closed by the caller, or by the gateway with a reason.
Distrust: TypeAlias = Literal["OPENING", "CUT", "GAP", "RESYNCING", "STALE", "SILENT", "ENDED"]


@dataclass(frozen=True, slots=True)
class Stored:
    """Made by this submit."""

    key: str
    order: SubmittedOrder


@dataclass(frozen=True, slots=True)
class Replayed:
    """An earlier request with this key had made it; the order as it is now."""

    key: str
    order: SubmittedOrder


@dataclass(frozen=True, slots=True)
class Refused:
    """There is no order of this key."""

    key: str
    error: GatewayError


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Nobody can say yet: submit the same with this key again."""

    key: str
    error: GatewayError | NoAnswer


Submission: TypeAlias = Stored | Replayed | Refused | Unanswered


@dataclass(frozen=True, slots=True)
class Sides:
    # Highest price first.
    bids: list[Level]
    # Lowest price first.
    asks: list[Level]


@dataclass(frozen=True, slots=True)
class Same:
    """String for string what the gateway has at this sequence."""

    sequence: int
    is_same: Literal[True] = True


@dataclass(frozen=True, slots=True)
class Different:
    sequence: int
    mine: Sides
    theirs: Sides
    is_same: Literal[False] = False


Verdict: TypeAlias = Same | Different


@dataclass(frozen=True, slots=True)
class Proof:
    """Every event from ``first`` to ``last`` was seen, in order, once."""

    first: int
    last: int
    gaps: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class Resynced:
    why: Literal["NOT_RECOVERED", "GAP"]
    # The first event that was not seen, and the one that came instead; None where nothing came yet.
    missed_from: int | None
    seen_again_from: int | None


@dataclass(frozen=True, slots=True)
class ClockSkew:
    """What the gateway's clock shows beyond ours, seconds, and by how much that may be wrong."""

    skew: float
    error: float


Headers: TypeAlias = Mapping[str, str]
