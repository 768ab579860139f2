"""The venue gateway's client: typed calls (``Gateway``), and five helpers for what bots get wrong.

``submit`` never doubles an order, ``Book`` proves itself, ``Account`` knows its gaps, ``await_closed`` waits for an order's end,
``keep_alive`` keeps the dead man's switch armed. These here block; ``venue_gateway.aio`` has the same names for asyncio.
"""

from .blocking.account import Account
from .blocking.book import Book
from .blocking.gateway import Gateway
from .blocking.helpers import KeptAlive, await_closed, keep_alive, submit
from .errors import GatewayError, NoAnswer, is_passing
from .generated.errno import Errno
from .identity import ApiKey, Password, Tokens, Who
from .order import is_over
from .outcomes import (
    ClockSkew,
    Different,
    Distrust,
    Level,
    Proof,
    Refused,
    Replayed,
    Resynced,
    Same,
    Sides,
    Stored,
    Submission,
    Unanswered,
    Verdict,
)
from .version import __version__

__all__ = [
    "Account",
    "ApiKey",
    "Book",
    "ClockSkew",
    "Different",
    "Distrust",
    "Errno",
    "Gateway",
    "GatewayError",
    "KeptAlive",
    "Level",
    "NoAnswer",
    "Password",
    "Proof",
    "Refused",
    "Replayed",
    "Resynced",
    "Same",
    "Sides",
    "Stored",
    "Submission",
    "Tokens",
    "Unanswered",
    "Verdict",
    "Who",
    "__version__",
    "await_closed",
    "is_over",
    "is_passing",
    "keep_alive",
    "submit",
]
