"""Types inside of statements: ``CAST(x AS …)`` and the columns of DDL. The rules agree with ``table_common.types.parser``."""

from __future__ import annotations

from collections.abc import Callable

from table_api.sql.grammar.lexer import STRING
from table_api.sql.grammar.token_stream import NAMES, TokenStream
from table_common.exceptions import ValidationException, closest
from table_common.tree import MAX_TYPE_DEPTH
from table_common.types import (
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
    find_named_type,
)

__all__ = ["TYPE", "TYPE_WORDS", "TypeRules"]

TYPE = "a type"

_SIMPLE: dict[str, LogicalType] = {
    "BIGINT": BigIntType(),
    "BITMAP": BitmapType(),
    "BOOLEAN": BooleanType(),
    "BYTES": VarBinaryType(),
    "DATE": DateType(),
    "FLOAT": FloatType(),
    "INT": IntType(),
    "INTEGER": IntType(),
    "NULL": NullType(),
    "REAL": FloatType(),
    "SMALLINT": SmallIntType(),
    "STRING": VarCharType(),
    "TINYINT": TinyIntType(),
    "VARIANT": VariantType(),
}


class TypeRules(TokenStream):
    """The rules for types."""

    __slots__ = ("_type_depth",)

    def type(self) -> LogicalType:
        """Consumes a type with its nullability: ``INT NOT NULL``, ``ARRAY<ROW<a INT>>``, ``INT ARRAY``."""
        self._type_depth = 0
        return self._type()

    def _type(self) -> LogicalType:
        self._type_depth += 1
        if self._type_depth > MAX_TYPE_DEPTH:
            raise self.error(f"Types may be nested at most {MAX_TYPE_DEPTH} deep.")
        found = self._nullability(self._plain_type())
        while (collection := self.accept_one("ARRAY", "MULTISET")) is not None:
            found = self._nullability(ArrayType(found) if collection == "ARRAY" else MultisetType(found))
        self._type_depth -= 1
        return found

    def _nullability(self, found: LogicalType) -> LogicalType:
        if self.accept_words("NOT", "NULL"):
            return found.not_null()
        if self.kind == "NULL" and self.peek() != "ON":  # JSON_VALUE(… RETURNING INT NULL ON EMPTY)
            self.advance()
        return found

    def _plain_type(self) -> LogicalType:
        start = self.index
        word = self.values[start].upper()
        rule = _RULES.get(word)
        if rule is None and word not in _SIMPLE:
            named = find_named_type(self.values[start]) if self.kind in NAMES else None
            if named is None:
                raise self._unknown_type()
            self.advance()
            return named
        self.advance()
        if rule is None:
            return _SIMPLE[word]
        try:
            return rule(self)
        except ValidationException as error:
            raise error.at(self.place(start, self.index - 1)) from None

    def _unknown_type(self) -> Exception:
        if not self.at_name(TYPE):
            return self.unexpected()
        start = self.index
        name = ".".join(self.path())
        suggestions = closest(name, [*_RULES, *_SIMPLE], 2)
        hint = (
            f"did you mean {' or '.join(suggestions)}?" if suggestions else "user-defined types are written inline: STRUCTURED<'class', …>"
        )
        return self.invalid(f"There is no type '{name}'.", start, hint=hint)

    def _type_number(self, default: int) -> int:
        if not self.accept("("):
            return default
        number = self.unsigned_integer()
        self.expect(")")
        return number

    def _type_fields(self, close: str) -> tuple[RowField, ...]:
        if self.accept(close):
            return ()
        fields = self.comma_list(self._type_field)
        self.expect(close)
        return fields

    def _type_field(self) -> RowField:
        name = self.name("field name")
        type_ = self._type()
        return RowField(name, type_, self.string() if self.at(STRING) else None)

    def _type_char(self) -> LogicalType:
        return self._type_varchar() if self.accept("VARYING") else CharType(self._type_number(1))

    def _type_varchar(self) -> LogicalType:
        return VarCharType(self._type_number(VarCharType().length))

    def _type_binary(self) -> LogicalType:
        return self._type_varbinary() if self.accept("VARYING") else BinaryType(self._type_number(1))

    def _type_varbinary(self) -> LogicalType:
        return VarBinaryType(self._type_number(VarBinaryType().length))

    def _type_decimal(self) -> LogicalType:
        if not self.accept("("):
            return DecimalType()
        precision = self.unsigned_integer()
        scale = self.unsigned_integer() if self.accept(",") else 0
        self.expect(")")
        return DecimalType(precision, scale)

    def _type_double(self) -> LogicalType:
        self.accept("PRECISION")
        return DoubleType()

    def _type_time(self) -> LogicalType:
        found = TimeType(self._type_number(TimeType().precision))
        if self.accept("WITHOUT"):
            self.expect("TIME", "ZONE")
        return found

    def _type_timestamp(self) -> LogicalType:
        precision = self._type_number(TimestampType().precision)
        zoned = self.accept_one("WITH", "WITHOUT")
        if zoned is None:
            return TimestampType(precision)
        local = zoned == "WITH" and self.accept("LOCAL")
        self.expect("TIME", "ZONE")
        if zoned == "WITHOUT":
            return TimestampType(precision)
        return LocalZonedTimestampType(precision) if local else ZonedTimestampType(precision)

    def _type_timestamp_ltz(self) -> LogicalType:
        return LocalZonedTimestampType(self._type_number(LocalZonedTimestampType().precision))

    def _type_collection(self, make: Callable[[LogicalType], LogicalType]) -> LogicalType:
        self.expect("<")
        element = self._type()
        self.expect(">")
        return make(element)

    def _type_array(self) -> LogicalType:
        return self._type_collection(ArrayType)

    def _type_multiset(self) -> LogicalType:
        return self._type_collection(MultisetType)

    def _type_map(self) -> LogicalType:
        self.expect("<")
        key = self._type()
        self.expect(",")
        value = self._type()
        self.expect(">")
        return MapType(key, value)

    def _type_row(self) -> LogicalType:
        if self.accept("<>"):
            return RowType()
        return RowType(self._type_fields(">" if self.expect_one("<", "(") == "<" else ")"))

    def _type_structured(self) -> LogicalType:
        self.expect("<")
        class_name = self.string()
        if self.accept(","):
            return StructuredType(class_name, self._type_fields(">"))
        self.expect(">")
        return StructuredType(class_name)

    def _type_raw(self) -> LogicalType:
        self.expect("(")
        class_name = self.string()
        self.expect(",")
        serializer = self.string()
        self.expect(")")
        return RawType(class_name, serializer)


_RULES: dict[str, Callable[[TypeRules], LogicalType]] = {
    "ARRAY": TypeRules._type_array,
    "BINARY": TypeRules._type_binary,
    "CHAR": TypeRules._type_char,
    "CHARACTER": TypeRules._type_char,
    "DEC": TypeRules._type_decimal,
    "DECIMAL": TypeRules._type_decimal,
    "DOUBLE": TypeRules._type_double,
    "MAP": TypeRules._type_map,
    "MULTISET": TypeRules._type_multiset,
    "NUMERIC": TypeRules._type_decimal,
    "RAW": TypeRules._type_raw,
    "ROW": TypeRules._type_row,
    "STRUCTURED": TypeRules._type_structured,
    "TIME": TypeRules._type_time,
    "TIMESTAMP": TypeRules._type_timestamp,
    "TIMESTAMP_LTZ": TypeRules._type_timestamp_ltz,
    "VARBINARY": TypeRules._type_varbinary,
    "VARCHAR": TypeRules._type_varchar,
}

TYPE_WORDS = frozenset({*_RULES, *_SIMPLE}) - {"NULL"}
"""The words that begin a type."""
