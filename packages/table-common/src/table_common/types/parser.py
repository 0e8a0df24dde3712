"""Text to type: ``DECIMAL(10, 2) NOT NULL`` → ``DecimalType(10, 2, nullable=False)``.

The grammar is Flink's for logical types. What ``LogicalType.serializable()`` prints is read back to an equal type; symbols and
distinct types have no text of their own and are not in the grammar. This file knows nothing of statements: the SQL front end has its own
parser and shares only the rules here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from table_common.exceptions import SourcePosition, SqlParserException, ValidationException, closest
from table_common.tree import MAX_TYPE_DEPTH
from table_common.types.foreign_names import FOREIGN_TYPE_NAMES
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BinaryType,
    BitmapType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DescriptorType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowField,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    YearMonthResolution,
    ZonedTimestampType,
)
from table_common.types.type_names import find_named_type
from table_common.types.type_tokens import Token, TokenKind, tokenize_type

__all__ = ["parse_logical_type"]

_T = TypeVar("_T")


def parse_logical_type(text: str, *, allow_zero_length: bool = False) -> LogicalType:
    """Returns the type that ``text`` says.

    Args:
        text: SQL text of one type, such as ``ROW<a INT NOT NULL, b ARRAY<STRING>>``; words in any case.
        allow_zero_length: Accept ``CHAR(0)`` and the like, which only the types of empty literals print.

    Raises:
        SqlParserException: The text is not a type; the error has the place and what was expected there.
        ValidationException: A length, precision or scale is out of range; the error has the place.
    """
    return _Parser(text, allow_zero_length).parse()


class _Parser:
    __slots__ = ("_allow_zero_length", "_depth", "_index", "_text", "_tokens")

    def __init__(self, text: str, allow_zero_length: bool) -> None:
        self._text = text
        self._tokens = tokenize_type(text)
        self._index = 0
        self._depth = 0
        self._allow_zero_length = allow_zero_length

    def parse(self) -> LogicalType:
        result = self.type_with_nullability()
        if self.peek().kind is not TokenKind.END:
            raise self.unexpected("the end of the text", "NOT NULL", "NULL", "ARRAY", "MULTISET")
        return result

    # Tokens

    def peek(self) -> Token:
        return self._tokens[self._index]

    def next(self) -> Token:
        token = self._tokens[self._index]
        if token.kind is not TokenKind.END:
            self._index += 1
        return token

    def accept(self, *words: str) -> bool:
        """Consumes the words or signs if all of them come next."""
        stop = self._index + len(words)
        ahead = self._tokens[self._index : stop]
        if len(ahead) < len(words) or any(
            (t.word or (t.value if t.kind is TokenKind.SIGN else "")) != w for t, w in zip(ahead, words, strict=True)
        ):
            return False
        self._index = stop
        return True

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.accept(word):
                raise self.unexpected(word)

    def value_of(self, kind: TokenKind) -> str:
        if self.peek().kind is not kind:
            raise self.unexpected(kind.value)
        return self.next().value

    def unexpected(self, *expected: str) -> SqlParserException:
        token = self.peek()
        listed = " or ".join(expected)
        return SqlParserException(
            f"Expected {listed}, but found {token.describe(self._text)}.", position=self.position(token), expected=expected
        )

    def position(self, token: Token) -> SourcePosition:
        return SourcePosition.of_offset(self._text, token.start, token.end)

    def build(self, start: Token, make: Callable[[], _T]) -> _T:
        """Calls ``make``; a value out of range is reported at the type that begins with ``start``."""
        try:
            return make()
        except ValidationException as error:
            end = self._tokens[self._index - 1].end
            raise error.at(SourcePosition.of_offset(self._text, start.start, end)) from None

    # Grammar

    def type_with_nullability(self) -> LogicalType:
        self._depth += 1
        if self._depth > MAX_TYPE_DEPTH:
            raise SqlParserException(f"Types may be nested at most {MAX_TYPE_DEPTH} deep.", position=self.position(self.peek()))
        result = self.nullability(self.plain_type())
        while True:
            if self.accept("ARRAY"):
                result = self.nullability(ArrayType(result))
            elif self.accept("MULTISET"):
                result = self.nullability(MultisetType(result))
            else:
                self._depth -= 1
                return result

    def nullability(self, type_: LogicalType) -> LogicalType:
        if self.accept("NOT"):
            self.expect("NULL")
            return type_.not_null()
        self.accept("NULL")
        return type_

    def plain_type(self) -> LogicalType:
        token = self.peek()
        rule = _RULES.get(token.word)
        if rule is None:
            named = find_named_type(token.value) if token.kind in (TokenKind.WORD, TokenKind.QUOTED) else None
            if named is None:
                raise self.unknown_type(token)
            self.next()
            return named
        self.next()
        return self.build(token, lambda: rule(self))

    def unknown_type(self, token: Token) -> SqlParserException:
        if token.kind is not TokenKind.WORD:
            return self.unexpected("the name of a type")
        names = closest(token.value, _RULES)
        other = FOREIGN_TYPE_NAMES.get(token.word)
        if other is not None:
            names = [other, *(name for name in names if name != other)][:3]
        message = f"There is no type '{token.value}'."
        if names:
            quoted = [f"'{name}'" for name in names]
            message += f" Did you mean {', '.join(quoted[:-1])}{' or ' if quoted[1:] else ''}{quoted[-1]}?"
        return SqlParserException(message, position=self.position(token), expected=tuple(sorted(_RULES)))

    def optional_number(self, default: int) -> int:
        """Returns the number in parentheses, if any comes next."""
        if not self.accept("("):
            return default
        number = int(self.value_of(TokenKind.NUMBER))
        self.expect(")")
        return number

    def length(self, type_name: str, default: int) -> int:
        start = self.peek()
        length = self.optional_number(default)
        if length == 0 and not self._allow_zero_length:
            raise ValidationException(f"{type_name} takes a length of at least 1, but got 0.", position=self.position(start))
        return length

    def in_angles(self, read: Callable[[], _T]) -> _T:
        self.expect("<")
        result = read()
        self.expect(">")
        return result

    def fields(self, close: str) -> tuple[RowField, ...]:
        """Reads ``name type ['comment'], …`` and the closing sign."""
        fields: list[RowField] = []
        if self.accept(close):
            return ()
        while True:
            fields.append(self.field())
            if self.accept(close):
                return tuple(fields)
            if not self.accept(","):
                raise self.unexpected(",", close)

    def field(self) -> RowField:
        if self.peek().kind not in (TokenKind.WORD, TokenKind.QUOTED):
            raise self.unexpected("the name of a field")
        name = self.next().value
        type_ = self.type_with_nullability()
        comment = self.next().value if self.peek().kind is TokenKind.STRING else None
        return RowField(name, type_, comment)


# One function for each type that takes more than its name.


def _char(p: _Parser) -> LogicalType:
    return _varchar(p) if p.accept("VARYING") else CharType(p.length("CHAR", 1))


def _varchar(p: _Parser) -> LogicalType:
    # Differs from Flink: its parser of types reads VARCHAR as VARCHAR(1), its SQL parser reads it as STRING, as here.
    return VarCharType(p.length("VARCHAR", VarCharType().length))


def _binary(p: _Parser) -> LogicalType:
    return _varbinary(p) if p.accept("VARYING") else BinaryType(p.length("BINARY", 1))


def _varbinary(p: _Parser) -> LogicalType:
    return VarBinaryType(p.length("VARBINARY", VarBinaryType().length))


def _decimal(p: _Parser) -> LogicalType:
    if not p.accept("("):
        return DecimalType()
    precision = int(p.value_of(TokenKind.NUMBER))
    scale = int(p.value_of(TokenKind.NUMBER)) if p.accept(",") else 0
    p.expect(")")
    return DecimalType(precision, scale)


def _double(p: _Parser) -> LogicalType:
    p.accept("PRECISION")
    return DoubleType()


def _time(p: _Parser) -> LogicalType:
    precision = p.optional_number(TimeType().precision)
    if p.accept("WITHOUT"):
        p.expect("TIME", "ZONE")
    return TimeType(precision)


def _timestamp(p: _Parser) -> LogicalType:
    precision = p.optional_number(TimestampType().precision)
    if p.accept("WITHOUT"):
        p.expect("TIME", "ZONE")
    elif p.accept("WITH"):
        local = p.accept("LOCAL")
        p.expect("TIME", "ZONE")
        return LocalZonedTimestampType(precision) if local else ZonedTimestampType(precision)
    return TimestampType(precision)


def _timestamp_ltz(p: _Parser) -> LogicalType:
    return LocalZonedTimestampType(p.optional_number(LocalZonedTimestampType().precision))


_YEAR_MONTH = {resolution.value: resolution for resolution in YearMonthResolution}
_DAY_TIME = {resolution.value: resolution for resolution in DayTimeResolution}
_INTERVAL_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def _interval(p: _Parser) -> LogicalType:
    first, first_number = _interval_field(p, _INTERVAL_FIELDS, with_number=("YEAR", "DAY", "SECOND"))
    lasts = tuple(name for name in _INTERVAL_FIELDS if f"{first} TO {name}" in _YEAR_MONTH or f"{first} TO {name}" in _DAY_TIME)
    fields, last_number = first, None
    if lasts and p.accept("TO"):
        last, last_number = _interval_field(p, lasts, with_number=("SECOND",))
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


def _interval_field(p: _Parser, accepted: tuple[str, ...], *, with_number: tuple[str, ...]) -> tuple[str, int | None]:
    name = p.peek().word
    if name not in accepted:
        raise p.unexpected(*accepted)
    p.next()
    if name not in with_number:
        return name, None
    number = p.optional_number(-1)
    return name, None if number < 0 else number


def _map(p: _Parser) -> LogicalType:
    p.expect("<")
    key = p.type_with_nullability()
    p.expect(",")
    value = p.type_with_nullability()
    p.expect(">")
    return MapType(key, value)


def _row(p: _Parser) -> LogicalType:
    if p.accept("<"):
        return RowType(p.fields(">"))
    if p.accept("("):
        return RowType(p.fields(")"))
    raise p.unexpected("<", "(")


def _structured(p: _Parser) -> LogicalType:
    p.expect("<")
    class_name = p.value_of(TokenKind.STRING)
    if p.accept(">"):
        return StructuredType(class_name)
    p.expect(",")
    return StructuredType(class_name, p.fields(">"))


def _raw(p: _Parser) -> LogicalType:
    p.expect("(")
    class_name = p.value_of(TokenKind.STRING)
    p.expect(",")
    serializer = p.value_of(TokenKind.STRING)
    p.expect(")")
    return RawType(class_name, serializer)


_RULES: dict[str, Callable[[_Parser], LogicalType]] = {
    "CHAR": _char,
    "CHARACTER": _char,
    "VARCHAR": _varchar,
    "STRING": lambda _: VarCharType(),
    "BOOLEAN": lambda _: BooleanType(),
    "BINARY": _binary,
    "VARBINARY": _varbinary,
    "BYTES": lambda _: VarBinaryType(),
    "DECIMAL": _decimal,
    "DEC": _decimal,
    "NUMERIC": _decimal,
    "TINYINT": lambda _: TinyIntType(),
    "SMALLINT": lambda _: SmallIntType(),
    "INT": lambda _: IntType(),
    "INTEGER": lambda _: IntType(),
    "BIGINT": lambda _: BigIntType(),
    "FLOAT": lambda _: FloatType(),
    "DOUBLE": _double,
    "DATE": lambda _: DateType(),
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp_ltz,
    "INTERVAL": _interval,
    "ARRAY": lambda p: ArrayType(p.in_angles(p.type_with_nullability)),
    "MULTISET": lambda p: MultisetType(p.in_angles(p.type_with_nullability)),
    "MAP": _map,
    "ROW": _row,
    "STRUCTURED": _structured,
    "RAW": _raw,
    "NULL": lambda _: NullType(),
    "VARIANT": lambda _: VariantType(),
    "BITMAP": lambda _: BitmapType(),
    "DESCRIPTOR": lambda _: DescriptorType(),
}
