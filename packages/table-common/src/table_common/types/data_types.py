"""The ``DataTypes`` DSL: types written in Python, as ``DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT().not_null())])``."""

# ruff: noqa: N802  (the methods carry the names of the SQL types)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.data_type import DataType
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
from table_common.types.parser import parse_logical_type

AnyType = DataType | LogicalType | str
"""A type in any of the forms in which a program may write it; a text is parsed."""


@dataclass(frozen=True, slots=True)
class IntervalResolution:
    """One field of an interval, such as ``DataTypes.DAY(2)``; ``precision`` is None for fields that have none.

    Example:
        >>> from table_common.types import DataTypes
        >>> isinstance(DataTypes.DAY(), IntervalResolution)
        True
    """

    unit: str
    precision: int | None = None


class DataTypes:
    """Makes data types. Every type is nullable unless ``nullable=False`` is given or ``.not_null()`` is called.

    Source: Flink's ``org.apache.flink.table.api.DataTypes``.

    Example:
        >>> str(DataTypes.ROW([DataTypes.FIELD("id", DataTypes.INT().not_null()), DataTypes.FIELD("tags", DataTypes.ARRAY(DataTypes.STRING()))]))
        'ROW<`id` INT NOT NULL, `tags` ARRAY<STRING>>'
    """

    @staticmethod
    def of(type_: AnyType) -> DataType:
        """Returns the data type that a text says, as ``of("DECIMAL(10, 2) NOT NULL")``; a type is returned as a data type.

        Raises:
            SqlParserException: The text is not a type.
        """
        if isinstance(type_, DataType):
            return type_
        return DataType(type_ if isinstance(type_, LogicalType) else parse_logical_type(_require_text(type_)))

    @staticmethod
    def NULL() -> DataType:
        """Returns the type of an untyped NULL."""
        return DataType(NullType())

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> DataType:
        """Returns text of exactly ``length`` code points."""
        return DataType(CharType(_length("CHAR", length), nullable=nullable))

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> DataType:
        """Returns text of at most ``length`` code points."""
        return DataType(VarCharType(_length("VARCHAR", length), nullable=nullable))

    @staticmethod
    def STRING(nullable: bool = True) -> DataType:
        """Returns text of any length."""
        return DataType(VarCharType(nullable=nullable))

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> DataType:
        """Returns truth values."""
        return DataType(BooleanType(nullable=nullable))

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> DataType:
        """Returns exactly ``length`` bytes."""
        return DataType(BinaryType(_length("BINARY", length), nullable=nullable))

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> DataType:
        """Returns at most ``length`` bytes."""
        return DataType(VarBinaryType(_length("VARBINARY", length), nullable=nullable))

    @staticmethod
    def BYTES(nullable: bool = True) -> DataType:
        """Returns any number of bytes."""
        return DataType(VarBinaryType(nullable=nullable))

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> DataType:
        """Returns exact numbers of ``precision`` digits, ``scale`` of them after the point."""
        return DataType(DecimalType(precision, scale, nullable=nullable))

    @staticmethod
    def TINYINT(nullable: bool = True) -> DataType:
        """Returns 8-bit integers."""
        return DataType(TinyIntType(nullable=nullable))

    @staticmethod
    def SMALLINT(nullable: bool = True) -> DataType:
        """Returns 16-bit integers."""
        return DataType(SmallIntType(nullable=nullable))

    @staticmethod
    def INT(nullable: bool = True) -> DataType:
        """Returns 32-bit integers."""
        return DataType(IntType(nullable=nullable))

    @staticmethod
    def BIGINT(nullable: bool = True) -> DataType:
        """Returns 64-bit integers."""
        return DataType(BigIntType(nullable=nullable))

    @staticmethod
    def FLOAT(nullable: bool = True) -> DataType:
        """Returns 32-bit floating point numbers."""
        return DataType(FloatType(nullable=nullable))

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DataType:
        """Returns 64-bit floating point numbers."""
        return DataType(DoubleType(nullable=nullable))

    @staticmethod
    def DATE(nullable: bool = True) -> DataType:
        """Returns days."""
        return DataType(DateType(nullable=nullable))

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> DataType:
        """Returns times of day with ``precision`` digits of fractional seconds."""
        return DataType(TimeType(precision, nullable=nullable))

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> DataType:
        """Returns dates with times of day, without a zone."""
        return DataType(TimestampType(precision, nullable=nullable))

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> DataType:
        """Returns instants, shown in the session's time zone."""
        return DataType(LocalZonedTimestampType(precision, nullable=nullable))

    @staticmethod
    def TIMESTAMP_WITH_LOCAL_TIME_ZONE(precision: int = 6, nullable: bool = True) -> DataType:
        """Returns the same as ``TIMESTAMP_LTZ``."""
        return DataTypes.TIMESTAMP_LTZ(precision, nullable)

    @staticmethod
    def TIMESTAMP_WITH_TIME_ZONE(precision: int = 6, nullable: bool = True) -> DataType:
        """Returns instants with the zone that they were written in; planners refuse this type."""
        return DataType(ZonedTimestampType(precision, nullable=nullable))

    @staticmethod
    def YEAR(precision: int = 2) -> IntervalResolution:
        """Returns the field of years with ``precision`` digits, for ``INTERVAL``."""
        return IntervalResolution("YEAR", precision)

    @staticmethod
    def MONTH() -> IntervalResolution:
        """Returns the field of months, for ``INTERVAL``."""
        return IntervalResolution("MONTH")

    @staticmethod
    def DAY(precision: int = 2) -> IntervalResolution:
        """Returns the field of days with ``precision`` digits, for ``INTERVAL``."""
        return IntervalResolution("DAY", precision)

    @staticmethod
    def HOUR() -> IntervalResolution:
        """Returns the field of hours, for ``INTERVAL``."""
        return IntervalResolution("HOUR")

    @staticmethod
    def MINUTE() -> IntervalResolution:
        """Returns the field of minutes, for ``INTERVAL``."""
        return IntervalResolution("MINUTE")

    @staticmethod
    def SECOND(precision: int = 6) -> IntervalResolution:
        """Returns the field of seconds with ``precision`` digits of fractions, for ``INTERVAL``."""
        return IntervalResolution("SECOND", precision)

    @staticmethod
    def INTERVAL(
        upper_resolution: IntervalResolution, lower_resolution: IntervalResolution | None = None, nullable: bool = True
    ) -> DataType:
        """Returns intervals of one field, or of the fields from ``upper_resolution`` down to ``lower_resolution``.

        Raises:
            ValidationException: There is no such interval, as from days to months.
        """
        fields = (
            upper_resolution.unit
            if lower_resolution is None or lower_resolution.unit == upper_resolution.unit
            else f"{upper_resolution.unit} TO {lower_resolution.unit}"
        )
        numbers = {
            part.unit: part.precision for part in (upper_resolution, lower_resolution) if part is not None and part.precision is not None
        }
        for year_month in YearMonthResolution:
            if year_month.value == fields:
                return DataType(YearMonthIntervalType(year_month, numbers.get("YEAR", 2), nullable=nullable))
        for day_time in DayTimeResolution:
            if day_time.value == fields:
                return DataType(DayTimeIntervalType(day_time, numbers.get("DAY", 2), numbers.get("SECOND", 6), nullable=nullable))
        raise ValidationException.unknown("Interval", fields, [r.value for r in YearMonthResolution] + [r.value for r in DayTimeResolution])

    @staticmethod
    def ARRAY(element_type: AnyType, nullable: bool = True) -> DataType:
        """Returns arrays of elements of one type."""
        return DataType(ArrayType(_logical(element_type), nullable=nullable))

    @staticmethod
    def MULTISET(element_type: AnyType, nullable: bool = True) -> DataType:
        """Returns multisets of elements of one type."""
        return DataType(MultisetType(_logical(element_type), nullable=nullable))

    @staticmethod
    def MAP(key_type: AnyType, value_type: AnyType, nullable: bool = True) -> DataType:
        """Returns maps from keys to values."""
        return DataType(MapType(_logical(key_type), _logical(value_type), nullable=nullable))

    @staticmethod
    def LIST_VIEW(element_type: AnyType) -> DataType:
        """Returns the type of a ``ListView`` in an accumulator, which is never NULL."""
        return DataType(_view("ListView", RowField("list", ArrayType(_logical(element_type)))))

    @staticmethod
    def MAP_VIEW(key_type: AnyType, value_type: AnyType) -> DataType:
        """Returns the type of a ``MapView`` in an accumulator, which is never NULL."""
        return DataType(_view("MapView", RowField("map", MapType(_logical(key_type), _logical(value_type)))))

    @staticmethod
    def FIELD(name: str, data_type: AnyType, description: str | None = None) -> RowField:
        """Returns a field, for ``ROW`` and ``STRUCTURED``."""
        return RowField(name, _logical(data_type), description)

    @staticmethod
    def ROW(row_fields: Iterable[RowField | AnyType] = (), nullable: bool = True) -> DataType:
        """Returns rows of fields; a bare type becomes a field named ``f0``, ``f1``, … by its position."""
        return DataType(RowType(_fields("ROW", row_fields), nullable=nullable))

    @staticmethod
    def STRUCTURED(class_: type[Any] | str, *fields: RowField, nullable: bool = True) -> DataType:
        """Returns rows that are objects of a class in programs; the class or its full name is given."""
        if isinstance(class_, str):
            return DataType(StructuredType(class_, _fields("STRUCTURED", fields), nullable=nullable))
        return DataType(StructuredType(_class_name(class_), _fields("STRUCTURED", fields), nullable=nullable), class_)

    @staticmethod
    def RAW(class_: type[Any] | str, serializer: str = "", nullable: bool = True) -> DataType:
        """Returns values that only user code understands, by class and by the text that says how they are serialized."""
        if isinstance(class_, str):
            return DataType(RawType(class_, serializer, nullable=nullable))
        return DataType(RawType(_class_name(class_), serializer, nullable=nullable), class_)

    @staticmethod
    def VARIANT(nullable: bool = True) -> DataType:
        """Returns values that carry their own type."""
        return DataType(VariantType(nullable=nullable))

    @staticmethod
    def BITMAP(nullable: bool = True) -> DataType:
        """Returns compressed sets of 32-bit unsigned integers."""
        return DataType(BitmapType(nullable=nullable))

    @staticmethod
    def DESCRIPTOR() -> DataType:
        """Returns lists of column names, as table functions take them."""
        return DataType(DescriptorType())


def _require_text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValidationException(f"A type is a DataType, a LogicalType or SQL text, but got {value!r} of class {type(value).__name__}.")


def _logical(type_: AnyType) -> LogicalType:
    return DataTypes.of(type_).logical_type


def _length(type_name: str, length: int) -> int:
    # The type itself allows 0 for empty literals; it cannot be declared.
    if length < 1:
        raise ValidationException(f"{type_name} takes a length of at least 1, but got {length}.")
    return length


def _view(name: str, collection: RowField) -> StructuredType:
    # Annotations give the same type; the class itself is in a layer above the types.
    return StructuredType(f"table_common.functions.views.{name}", (collection,), nullable=False)


def _class_name(class_: type[Any]) -> str:
    return f"{class_.__module__}.{class_.__qualname__}"


def _fields(type_name: str, fields: Iterable[RowField | AnyType]) -> tuple[RowField, ...]:
    result = tuple(f if isinstance(f, RowField) else RowField(f"f{i}", _logical(f)) for i, f in enumerate(fields))
    for name, count in Counter(field.name for field in result).items():
        if count > 1:
            raise ValidationException(f"The field '{name}' occurs more than once in {type_name}.")
    return result
