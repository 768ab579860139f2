"""Who calls: an API key, or a user's session, which renews itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ApiKey:
    """``vgk_…``, as it was shown once."""

    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Password:
    email: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tokens:
    access_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)


# None: calls that need no user.
Who: TypeAlias = ApiKey | Password | Tokens | None
