"""Keywords as arguments of functions: time units, TRIM modes, and JSON functions' handling of NULL and errors.

A keyword in an expression is a ``ValueLiteralExpression`` whose value is a member of one of these and whose type is ``SymbolType``. No two
of them share a name, so ``symbol_of`` finds a member without knowing the function.
"""

from __future__ import annotations

from enum import Enum

from table_common.exceptions import ValidationException


class TimeUnit(Enum):
    """A field of dates, times and intervals; plurals and ``SQL_TSI_…`` are the parser's to remove.

    Example:
        >>> symbol_of("day")
        <TimeUnit.DAY: 'DAY'>
    """

    NANOSECOND = "NANOSECOND"
    MICROSECOND = "MICROSECOND"
    MILLISECOND = "MILLISECOND"
    SECOND = "SECOND"
    MINUTE = "MINUTE"
    HOUR = "HOUR"
    DAY = "DAY"
    WEEK = "WEEK"
    MONTH = "MONTH"
    QUARTER = "QUARTER"
    YEAR = "YEAR"
    DECADE = "DECADE"
    CENTURY = "CENTURY"
    MILLENNIUM = "MILLENNIUM"
    EPOCH = "EPOCH"
    DOW = "DOW"
    DOY = "DOY"
    ISODOW = "ISODOW"
    ISOYEAR = "ISOYEAR"


class TrimMode(Enum):
    """The side that TRIM cuts.

    Example:
        >>> TrimMode("LEADING").name
        'LEADING'
    """

    BOTH = "BOTH"
    LEADING = "LEADING"
    TRAILING = "TRAILING"


class JsonNullHandling(Enum):
    """How constructed JSON represents SQL NULL.

    Example:
        >>> JsonNullHandling("ABSENT ON NULL").name
        'ABSENT_ON_NULL'
    """

    NULL_ON_NULL = "NULL ON NULL"
    ABSENT_ON_NULL = "ABSENT ON NULL"


class JsonBehavior(Enum):
    """The result of a JSON query without a match (ON EMPTY) or with an error (ON ERROR).

    Example:
        >>> JsonBehavior("EMPTY ARRAY").name
        'EMPTY_ARRAY'
    """

    NULL = "NULL"
    ERROR = "ERROR"
    DEFAULT = "DEFAULT"
    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"
    EMPTY_ARRAY = "EMPTY ARRAY"
    EMPTY_OBJECT = "EMPTY OBJECT"


class JsonWrapper(Enum):
    """Whether JSON_QUERY wraps its result in an array.

    Example:
        >>> JsonWrapper("WITHOUT ARRAY WRAPPER").name
        'WITHOUT_ARRAY'
    """

    WITHOUT_ARRAY = "WITHOUT ARRAY WRAPPER"
    CONDITIONAL_ARRAY = "WITH CONDITIONAL ARRAY WRAPPER"
    UNCONDITIONAL_ARRAY = "WITH UNCONDITIONAL ARRAY WRAPPER"


class JsonType(Enum):
    """The JSON type that IS JSON tests for.

    Example:
        >>> JsonType("OBJECT").name
        'OBJECT'
    """

    VALUE = "VALUE"
    SCALAR = "SCALAR"
    ARRAY = "ARRAY"
    OBJECT = "OBJECT"


_SYMBOLS: dict[str, Enum] = {
    name: member
    for kind in (TimeUnit, TrimMode, JsonNullHandling, JsonBehavior, JsonWrapper, JsonType)
    for member in kind
    for name in (member.name, member.value)
}


def symbol_of(name: str) -> Enum:
    """Returns the member with this name (``EMPTY_ARRAY``) or SQL text (``EMPTY ARRAY``), in any case.

    Raises:
        ValidationException: There is no such keyword.

    Example:
        >>> symbol_of("empty array").name
        'EMPTY_ARRAY'
    """
    found = _SYMBOLS.get(name.upper())
    if found is None:
        raise ValidationException.unknown("Keyword", name, _SYMBOLS)
    return found
