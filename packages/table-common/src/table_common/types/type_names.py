"""Named types, such as those of modules, for the parsers of types.

A session sets the lookup of named types while it parses; otherwise only the built-in types exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from table_common.types.logical import LogicalType

TypeLookup = Callable[[str], LogicalType | None]
"""Returns the type of this name, compared without case, or None."""

_LOOKUP: ContextVar[TypeLookup | None] = ContextVar("named_types", default=None)


@contextmanager
def named_types(lookup: TypeLookup) -> Iterator[None]:
    """A context with the lookup of named types for all parsers.

    Example:
        >>> from table_common.types import DoubleType, parse_logical_type
        >>> with named_types({"POINT": DoubleType()}.get):
        ...     str(parse_logical_type("ARRAY<POINT>"))
        'ARRAY<DOUBLE>'
    """
    token = _LOOKUP.set(lookup)
    try:
        yield
    finally:
        _LOOKUP.reset(token)


def find_named_type(name: str) -> LogicalType | None:
    """Returns the type of this name in the current context, or None.

    Example:
        >>> find_named_type("my_type") is None
        True
    """
    lookup = _LOOKUP.get()
    return None if lookup is None else lookup(name)
