"""Hints for arguments that operators and sums do not take, but those of other databases do."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.types.logical import NUMERICS, TIMESTAMPS, CharacterType, DateType, LogicalType

_ARITHMETIC = ("PLUS", "MINUS", "TIMES", "DIVIDE", "MOD")
_SUMS = ("SUM", "AVG", "STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP")


def operand_hint(name: str, types: Sequence[LogicalType]) -> str | None:
    """Returns what to write instead of an invalid call of a built-in function, or None.

    Example:
        >>> from table_common.types import DateType, IntType
        >>> operand_hint("PLUS", [DateType(), IntType()])
        "write d + INTERVAL '1' DAY, or TIMESTAMPADD(DAY, n, d)"
    """
    days = [isinstance(type_, (DateType, *TIMESTAMPS)) for type_ in types]
    texts = [isinstance(type_, CharacterType) for type_ in types]
    if name in ("PLUS", "MINUS") and any(days) and any(isinstance(type_, NUMERICS) for type_ in types):
        return f"write d {'+' if name == 'PLUS' else '-'} INTERVAL '1' DAY, or TIMESTAMPADD(DAY, n, d)"
    if name == "MINUS" and all(days):
        return "write TIMESTAMPDIFF(DAY, a, b) for the days from a to b"
    if name == "DATE_FORMAT" and types and isinstance(types[0], DateType):
        return "CAST the DATE AS TIMESTAMP"
    if name == "PLUS" and all(texts):
        return "write a || b, or CONCAT(a, b)"
    if name == "CONCAT_OP" and any(texts):
        return "CAST the other operand AS STRING"
    if name in (*_ARITHMETIC, *_SUMS) and any(texts):
        return "CAST the text AS DOUBLE or DECIMAL"
    return None
