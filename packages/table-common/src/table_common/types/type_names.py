"""Types that have a name beside the built-in ones, such as those of modules: where texts of types look them up.

Whoever reads texts of types for a session says for how long which names there are; outside of it there are only the built-in ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from table_common.types.logical import LogicalType

__all__ = ["find_named_type", "named_types"]

TypeLookup = Callable[[str], LogicalType | None]
"""Returns the type of this name, compared without case, or None."""

_LOOKUP: ContextVar[TypeLookup | None] = ContextVar("named_types", default=None)


@contextmanager
def named_types(lookup: TypeLookup) -> Iterator[None]:
    """Says which named types there are for all texts that are read in the block.

    Example:
        ``with named_types({"POINT": point}.get): parse_logical_type("ARRAY<POINT>")``
    """
    token = _LOOKUP.set(lookup)
    try:
        yield
    finally:
        _LOOKUP.reset(token)


def find_named_type(name: str) -> LogicalType | None:
    """Returns the type of this name, or None if there is none here."""
    lookup = _LOOKUP.get()
    return None if lookup is None else lookup(name)
