"""The venue gateway's client for asyncio: the names of ``venue_gateway``, as coroutines."""

from ..errors import GatewayError, NoAnswer, is_passing
from ..generated.errno import Errno
from ..identity import ApiKey, Password, Tokens, Who
from ..order import is_over
from ..outcomes import (
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
from .account import Account
from .await_closed import await_closed
from .book import Book
from .gateway import Gateway
from .keep_alive import KeptAlive, keep_alive
from .retry import patiently
from .stream import Listener, Subscription
from .submit import submit

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
    "Listener",
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
    "Subscription",
    "Tokens",
    "Unanswered",
    "Verdict",
    "Who",
    "await_closed",
    "is_over",
    "is_passing",
    "keep_alive",
    "patiently",
    "submit",
]
