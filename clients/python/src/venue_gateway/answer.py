"""An answer of the gateway with what came around its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from .generated.records import Pagination

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    data: T
    # Of lists that come in pages.
    pagination: Pagination | None
    headers: Mapping[str, str]
