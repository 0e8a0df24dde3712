"""Text to type: ``DECIMAL(10, 2) NOT NULL`` becomes ``DecimalType(10, 2, nullable=False)``.

The grammar is Flink's for logical types (``grammar.py``). The parser reads what ``LogicalType.serializable()`` prints back to an equal
type; symbols and distinct types have no text of their own. The SQL parser reads the types inside of statements, with the same rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from table_common.exceptions import SourcePosition, SqlParserException
from table_common.types.grammar import TYPE_NAMES, optional_number, read_type, suggest_type_names
from table_common.types.logical import (
    DayTimeIntervalType,
    DayTimeResolution,
    DescriptorType,
    LogicalType,
    YearMonthIntervalType,
    YearMonthResolution,
)
from table_common.types.type_names import find_named_type
from table_common.types.type_tokens import END, NUMBER, STRING, tokenize_type

_T = TypeVar("_T")

_NAMES = sorted({*TYPE_NAMES, "DESCRIPTOR", "INTERVAL"})


def parse_logical_type(text: str, *, allow_zero_length: bool = False) -> LogicalType:
    """Returns the type that ``text`` says.

    Args:
        text: SQL text of one type, such as ``ROW<a INT NOT NULL, b ARRAY<STRING>>``; words in any case.
        allow_zero_length: Accept ``CHAR(0)`` and the like, which only the types of empty literals print.

    Raises:
        SqlParserException: The text is not a type; the error has the position and what was expected there.
        ValidationException: A length, precision or scale is out of range; the error has the position.

    Example:
        >>> parse_logical_type("ROW<id BIGINT NOT NULL, tags ARRAY<STRING>>").field_names
        ('id', 'tags')
    """
    return _TypeTextStream(text, allow_zero_length).parse()


class _TypeTextStream:
    """The tokens of a type text, as the rules of ``grammar.py`` read them."""

    __slots__ = ("_tokens", "accepts_zero_length", "index", "kind", "type_depth")

    def __init__(self, text: str, accepts_zero_length: bool) -> None:
        self._tokens = tokenize_type(text)
        self.index = 0
        self.kind = self._tokens.kinds[0]
        self.type_depth = 0
        self.accepts_zero_length = accepts_zero_length

    def parse(self) -> LogicalType:
        result = read_type(self)
        if self.kind != END:
            raise self._unexpected(END, "NOT NULL", "NULL", "ARRAY", "MULTISET")
        return result

    def advance(self) -> None:
        self.index += 1
        self.kind = self._tokens.kinds[self.index]

    def accept(self, kind: str) -> bool:
        if self.kind != kind:
            return False
        self.advance()
        return True

    def accept_one(self, *kinds: str) -> str | None:
        kind = self.kind
        if kind not in kinds:
            return None
        self.advance()
        return kind

    def expect(self, *kinds: str) -> None:
        for kind in kinds:
            if not self.accept(kind):
                raise self._unexpected(kind)

    def expect_one(self, *kinds: str) -> str:
        kind = self.accept_one(*kinds)
        if kind is None:
            raise self._unexpected(*kinds)
        return kind

    def string(self) -> str:
        return self._value_of(STRING)

    def unsigned_integer(self) -> int:
        return int(self._value_of(NUMBER))

    def items(self, rule: Callable[[], _T], close: str) -> tuple[_T, ...]:
        items = [rule()]
        while self.accept(","):
            items.append(rule())
        if not self.accept(close):
            raise self._unexpected(",", close)
        return tuple(items)

    def type_name(self) -> str:
        return self.kind

    def nullability(self) -> bool:
        if self.kind == "NOT":
            self.expect("NOT", "NULL")
            return False
        self.accept("NULL")
        return True

    def field_name(self) -> str:
        if not self._tokens.is_name(self.index):
            raise self._unexpected("the name of a field")
        return self._value_of(self.kind)

    def field_comment(self) -> str | None:
        return self.string() if self.kind == STRING else None

    def other_type(self) -> LogicalType:
        """Consumes INTERVAL, which SQL has in casts only, DESCRIPTOR, which SQL does not have, or a named type."""
        if self.accept("INTERVAL"):
            return _interval(self)
        if self.accept("DESCRIPTOR"):
            return DescriptorType()
        named = find_named_type(self._tokens.values[self.index]) if self._tokens.is_name(self.index) else None
        if named is None:
            raise self._unknown_type()
        self.advance()
        return named

    def error(self, message: str) -> SqlParserException:
        return SqlParserException(message, position=self.place(self.index, self.index))

    def place(self, first: int, last: int) -> SourcePosition:
        return SourcePosition.of_offset(self._tokens.text, self._tokens.starts[first], self._tokens.ends[max(first, last)])

    def _value_of(self, kind: str) -> str:
        value = self._tokens.values[self.index]
        self.expect(kind)
        return value

    def _unexpected(self, *expected: str) -> SqlParserException:
        start, end = self._tokens.starts[self.index], self._tokens.ends[self.index]
        token = END if self.kind == END else f"'{self._tokens.text[start:end]}'"
        return SqlParserException(
            f"Expected {' or '.join(expected)}, but found {token}.", position=self.place(self.index, self.index), expected=expected
        )

    def _unknown_type(self) -> SqlParserException:
        if not self._tokens.is_word(self.index):
            return self._unexpected("the name of a type")
        name = self._tokens.values[self.index]
        message = f"There is no type '{name}'."
        suggestions = [f"'{suggestion}'" for suggestion in suggest_type_names(name, _NAMES, 3)]
        if suggestions:
            message += f" Did you mean {', '.join(suggestions[:-1])}{' or ' if suggestions[1:] else ''}{suggestions[-1]}?"
        return SqlParserException(message, position=self.place(self.index, self.index), expected=tuple(_NAMES))


_YEAR_MONTH = {resolution.value: resolution for resolution in YearMonthResolution}
_DAY_TIME = {resolution.value: resolution for resolution in DayTimeResolution}
_INTERVAL_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def _interval(stream: _TypeTextStream) -> LogicalType:
    first, first_number = _interval_field(stream, _INTERVAL_FIELDS, with_number=("YEAR", "DAY", "SECOND"))
    lasts = tuple(name for name in _INTERVAL_FIELDS if f"{first} TO {name}" in _YEAR_MONTH or f"{first} TO {name}" in _DAY_TIME)
    fields, last_number = first, None
    if lasts and stream.accept("TO"):
        last, last_number = _interval_field(stream, lasts, with_number=("SECOND",))
        fields += f" TO {last}"
    if fields in _YEAR_MONTH:
        year_precision = first_number if first_number is not None else YearMonthIntervalType().year_precision
        return YearMonthIntervalType(_YEAR_MONTH[fields], year_precision)
    default = DayTimeIntervalType()
    fraction = first_number if first == "SECOND" else last_number
    return DayTimeIntervalType(
        _DAY_TIME[fields],
        first_number if first == "DAY" and first_number is not None else default.day_precision,
        fraction if fraction is not None else default.fractional_precision,
    )


def _interval_field(stream: _TypeTextStream, accepted: tuple[str, ...], *, with_number: tuple[str, ...]) -> tuple[str, int | None]:
    name = stream.expect_one(*accepted)
    number = optional_number(stream, -1) if name in with_number else -1
    return name, None if number < 0 else number
