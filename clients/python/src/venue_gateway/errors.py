"""What goes wrong with a call: the gateway refused it, or no answer came.

The difference is the one thing to know: after a refusal it is certain that this request did nothing (503 aside); without an answer it is
not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def _about(metadata: Mapping[str, Any]) -> str:
    """``: limitPrice: not a decimal``, or the figures of the refusal by their names; empty where there are none."""
    others = dict(metadata)
    words = [str(word) for word in (others.pop("parameter", None), others.pop("reason", None)) if word is not None]
    figures = ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in others.items()
    )
    return "".join(f": {text}" for text in [*words, figures] if text)


class GatewayError(Exception):
    """The gateway answered, and refused. Compare ``errno`` with ``Errno``, whose numbers are never reused."""

    def __init__(self, call: str, status: int, failure: Mapping[str, Any], retry_after: float | None) -> None:
        details = failure["details"]
        about = _about({"reason": details.get("reason"), **(details.get("metadata") or {})})
        super().__init__(f"{call}: {failure['error']} ({failure['errno']} {details['code']}){about}")
        self.call = call
        self.status = status
        self.errno: int = failure["errno"]
        # The failure's name, for example INSUFFICIENT_BALANCE; of a newer gateway also one that this client does not know.
        self.code: str = details["code"]
        # Why, as a word to act on, where the failure has one: RECONCILING, VENUE_UNREACHABLE …
        self.reason: str | None = details.get("reason")
        # What the failure is about: its own fields.
        self.metadata: Mapping[str, Any] = details.get("metadata") or {}
        # Also on the gateway's log lines: give it to the operator.
        self.request_id: str | None = details.get("request_id")
        # So long the gateway asks to wait, seconds; None: it does not say.
        self.retry_after = retry_after


class NoAnswer(Exception):
    """No answer of the gateway: the network, a timeout, or a proxy that answered in its own words. What the request did is unknown."""

    def __init__(self, call: str, why: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(f"{call}: no answer ({why})")
        self.call = call
        # Of a proxy's answer.
        self.status = status
        self.retry_after = retry_after


def is_passing(error: BaseException) -> bool:
    """Whether the same request may be answered differently a little later: no answer, 429, or a gateway that is in trouble."""
    if isinstance(error, GatewayError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, NoAnswer)
