"""Names in Spark SQL text."""

from __future__ import annotations

__all__ = ["quote_name"]


def quote_name(name: str) -> str:
    """Returns a column's name in back-ticks."""
    return "`" + name.replace("`", "``") + "`"
