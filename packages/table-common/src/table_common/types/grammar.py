"""The grammar of types, which the parser of type texts and the SQL parser share.

The rules read a ``TypeTokenStream``. The stream knows tokens, positions and errors; the rules know types. What only one of the two
parsers accepts is its ``other_type``: INTERVAL and DESCRIPTOR in type texts, REAL in SQL, and named types in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from table_common.exceptions import SourcePosition, SqlParserException, ValidationException, closest
from table_common.tree import MAX_TYPE_DEPTH
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BinaryType,
    BitmapType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
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
    ZonedTimestampType,
)

_T = TypeVar("_T")


class TypeTokenStream(Protocol):
    """The tokens of a text and the current position, as the rules need them.

    A *kind* is an upper-case keyword, a sign, or the stream's name for a class of tokens. Methods that consume a token raise the
    stream's own syntax error if the token does not fit.

    Example:
        >>> callable(read_type)  # reads a type from any object with these methods
        True
    """

    index: int
    """The position of the current token."""
    type_depth: int
    """How many types enclose the current token."""

    @property
    def accepts_zero_length(self) -> bool:
        """Whether CHAR(0), VARCHAR(0), BINARY(0) and VARBINARY(0) are types."""

    def advance(self) -> None:
        """Consumes the current token."""

    def accept(self, kind: str) -> bool:
        """Consumes the token if it is of this kind, and returns whether it was."""

    def accept_one(self, *kinds: str) -> str | None:
        """Consumes the token if it is of one of the kinds, and returns its kind."""

    def expect(self, *kinds: str) -> None:
        """Consumes tokens of these kinds, one after the other."""

    def expect_one(self, *kinds: str) -> str:
        """Consumes a token of one of the kinds, and returns its kind."""

    def string(self) -> str:
        """Consumes a string literal and returns its value."""

    def unsigned_integer(self) -> int:
        """Consumes digits."""

    def items(self, rule: Callable[[], _T], close: str) -> tuple[_T, ...]:
        """Consumes one or more items that ``rule`` reads, commas between them, and the closing sign."""

    def type_name(self) -> str:
        """Returns the current word in capitals; for a token that is not an unquoted word, any text that is not the name of a type."""

    def other_type(self) -> LogicalType:
        """Consumes a type that only this stream accepts.

        Raises:
            ValidationException: There is no such type.
        """

    def nullability(self) -> bool:
        """Consumes NOT NULL or NULL, and returns whether the type is nullable."""

    def field_name(self) -> str:
        """Consumes the name of a field."""

    def field_comment(self) -> str | None:
        """Consumes the comment of a field, if there is one."""

    def error(self, message: str) -> SqlParserException:
        """Returns a syntax error at the current token."""

    def place(self, first: int, last: int) -> SourcePosition:
        """Returns the position of the tokens from ``first`` to ``last``, both included."""


def read_type(stream: TypeTokenStream) -> LogicalType:
    """Consumes one type with its nullability: ``INT NOT NULL``, ``ARRAY<ROW<a INT>>``, ``INT ARRAY``.

    Raises:
        SqlParserException: The text is not a type; the error has the position and what was expected there.
        ValidationException: A length, precision or scale is out of range; the error has the position of the type.

    Example:
        >>> from table_common.types import parse_logical_type  # which calls it over the tokens of a text
        >>> str(parse_logical_type("array<int not null>"))
        'ARRAY<INT NOT NULL>'
    """
    stream.type_depth += 1
    if stream.type_depth > MAX_TYPE_DEPTH:
        raise stream.error(f"Types may be nested at most {MAX_TYPE_DEPTH} deep.")
    result = _type_without_nullability(stream)
    if not stream.nullability():
        result = result.not_null()
    while (collection := stream.accept_one("ARRAY", "MULTISET")) is not None:
        result = ArrayType(result) if collection == "ARRAY" else MultisetType(result)
        if not stream.nullability():
            result = result.not_null()
    stream.type_depth -= 1
    return result


def optional_number(stream: TypeTokenStream, default: int) -> int:
    """Consumes a number in parentheses and returns it, or returns the default if there is none."""
    if not stream.accept("("):
        return default
    number = stream.unsigned_integer()
    stream.expect(")")
    return number


_FOREIGN_NAMES = {
    "BOOL": "BOOLEAN",
    "BYTE": "TINYINT",
    "SHORT": "SMALLINT",
    "LONG": "BIGINT",
    "INT8": "TINYINT",
    "INT16": "SMALLINT",
    "INT32": "INT",
    "INT64": "BIGINT",
    "FLOAT32": "FLOAT",
    "REAL": "FLOAT",
    "FLOAT64": "DOUBLE",
    "TEXT": "STRING",
    "STR": "STRING",
    "BLOB": "BYTES",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMPTZ": "TIMESTAMP_LTZ",
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "LIST": "ARRAY",
    "STRUCT": "ROW",
    "JSON": "VARIANT",
}
"""Names of types in other systems, in capitals, to the name of the SQL type: hints of errors say it."""


def suggest_type_names(name: str, accepted: Iterable[str], limit: int) -> list[str]:
    """Returns those of the accepted names that a user who wrote ``name`` may mean, best first: VARCHAR for VARCHR, STRING for TEXT.

    Example:
        >>> suggest_type_names("TEXT", TYPE_NAMES, 1)
        ['STRING']
    """
    names = closest(name, accepted, limit)
    equivalent = _FOREIGN_NAMES.get(name.upper())
    if equivalent is not None:
        names = [equivalent, *(name for name in names if name != equivalent)][:limit]
    return names


def _type_without_nullability(stream: TypeTokenStream) -> LogicalType:
    name = stream.type_name()
    simple = _SIMPLE_TYPES.get(name)
    if simple is not None:
        stream.advance()
        return simple
    start = stream.index
    rule = _RULES.get(name)
    try:
        if rule is None:
            return stream.other_type()
        stream.advance()
        return rule(stream)
    except ValidationException as error:
        raise error.at(stream.place(start, stream.index - 1)) from None


def _length(stream: TypeTokenStream, type_name: str, default: int) -> int:
    start = stream.index
    length = optional_number(stream, default)
    if length == 0 and not stream.accepts_zero_length:
        raise ValidationException(f"{type_name} takes a length of at least 1, but got 0.", position=stream.place(start, start))
    return length


def _char(stream: TypeTokenStream) -> LogicalType:
    return _varchar(stream) if stream.accept("VARYING") else CharType(_length(stream, "CHAR", 1))


def _varchar(stream: TypeTokenStream) -> LogicalType:
    # Differs from Flink: VARCHAR is STRING also in the text of a data type. There Flink reads VARCHAR(1), but STRING in SQL.
    return VarCharType(_length(stream, "VARCHAR", VarCharType().length))


def _binary(stream: TypeTokenStream) -> LogicalType:
    return _varbinary(stream) if stream.accept("VARYING") else BinaryType(_length(stream, "BINARY", 1))


def _varbinary(stream: TypeTokenStream) -> LogicalType:
    return VarBinaryType(_length(stream, "VARBINARY", VarBinaryType().length))


def _decimal(stream: TypeTokenStream) -> LogicalType:
    if not stream.accept("("):
        return DecimalType()
    precision = stream.unsigned_integer()
    scale = stream.unsigned_integer() if stream.accept(",") else 0
    stream.expect(")")
    return DecimalType(precision, scale)


def _double(stream: TypeTokenStream) -> LogicalType:
    stream.accept("PRECISION")
    return DoubleType()


def _time(stream: TypeTokenStream) -> LogicalType:
    precision = optional_number(stream, TimeType().precision)
    if stream.accept("WITHOUT"):
        stream.expect("TIME", "ZONE")
    return TimeType(precision)


def _timestamp(stream: TypeTokenStream) -> LogicalType:
    precision = optional_number(stream, TimestampType().precision)
    preposition = stream.accept_one("WITH", "WITHOUT")
    if preposition is None:
        return TimestampType(precision)
    is_local = preposition == "WITH" and stream.accept("LOCAL")
    stream.expect("TIME", "ZONE")
    if preposition == "WITHOUT":
        return TimestampType(precision)
    return LocalZonedTimestampType(precision) if is_local else ZonedTimestampType(precision)


def _timestamp_ltz(stream: TypeTokenStream) -> LogicalType:
    return LocalZonedTimestampType(optional_number(stream, LocalZonedTimestampType().precision))


def _array(stream: TypeTokenStream) -> LogicalType:
    return ArrayType(_element(stream))


def _multiset(stream: TypeTokenStream) -> LogicalType:
    return MultisetType(_element(stream))


def _element(stream: TypeTokenStream) -> LogicalType:
    stream.expect("<")
    element = read_type(stream)
    stream.expect(">")
    return element


def _map(stream: TypeTokenStream) -> LogicalType:
    stream.expect("<")
    key = read_type(stream)
    stream.expect(",")
    value = read_type(stream)
    stream.expect(">")
    return MapType(key, value)


def _row(stream: TypeTokenStream) -> LogicalType:
    if stream.accept("<>"):  # one token in SQL, where it is an operator too
        return RowType()
    return RowType(_fields(stream, ">" if stream.expect_one("<", "(") == "<" else ")"))


def _structured(stream: TypeTokenStream) -> LogicalType:
    stream.expect("<")
    class_name = stream.string()
    return StructuredType(class_name, _fields(stream, ">") if stream.expect_one(",", ">") == "," else ())


def _fields(stream: TypeTokenStream, close: str) -> tuple[RowField, ...]:
    if stream.accept(close):
        return ()
    fields = stream.items(lambda: _field(stream), close)
    names = [field.name for field in fields]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValidationException(f"The name '{repeated}' is used for more than one field of the type.")
    return fields


def _field(stream: TypeTokenStream) -> RowField:
    name = stream.field_name()
    type_ = read_type(stream)
    return RowField(name, type_, stream.field_comment())


def _raw(stream: TypeTokenStream) -> LogicalType:
    stream.expect("(")
    class_name = stream.string()
    stream.expect(",")
    serializer = stream.string()
    stream.expect(")")
    return RawType(class_name, serializer)


_SIMPLE_TYPES: dict[str, LogicalType] = {
    "BIGINT": BigIntType(),
    "BITMAP": BitmapType(),
    "BOOLEAN": BooleanType(),
    "BYTES": VarBinaryType(),
    "DATE": DateType(),
    "FLOAT": FloatType(),
    "INT": IntType(),
    "INTEGER": IntType(),
    "NULL": NullType(),
    "SMALLINT": SmallIntType(),
    "STRING": VarCharType(),
    "TINYINT": TinyIntType(),
    "VARIANT": VariantType(),
}

_RULES: dict[str, Callable[[TypeTokenStream], LogicalType]] = {
    "ARRAY": _array,
    "BINARY": _binary,
    "CHAR": _char,
    "CHARACTER": _char,
    "DEC": _decimal,
    "DECIMAL": _decimal,
    "DOUBLE": _double,
    "MAP": _map,
    "MULTISET": _multiset,
    "NUMERIC": _decimal,
    "RAW": _raw,
    "ROW": _row,
    "STRUCTURED": _structured,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp_ltz,
    "VARBINARY": _varbinary,
    "VARCHAR": _varchar,
}

TYPE_NAMES = frozenset({*_SIMPLE_TYPES, *_RULES})
"""The words that begin a type in every text, in capitals."""
