"""The error for a map with a NULL key, which is the same on all engines."""

from __future__ import annotations

from table_common.exceptions import TableRuntimeException


def null_map_key() -> TableRuntimeException:
    """Returns the error for a map with a NULL key.

    Example:
        >>> null_map_key().message
        'A MAP cannot have NULL as a key.'
    """
    # Differs from Flink: a MAP has no NULL key, because neither Arrow nor Spark has maps with one.
    return TableRuntimeException("A MAP cannot have NULL as a key.", hint="Leave the entry out, or write another key: COALESCE(k, '')")
