from __future__ import annotations

import pytest
from hypothesis import given

from table_common.exceptions import SqlParserException, ValidationException
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BinaryType,
    BitmapType,
    CharType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DescriptorType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowField,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    YearMonthResolution,
    ZonedTimestampType,
)
from table_common.types.parser import parse_logical_type
from table_testing.strategies import logical_types


@given(logical_types())
def test_serializable_text_reads_back_to_an_equal_type(type_: LogicalType) -> None:
    assert parse_logical_type(type_.serializable()) == type_


@given(logical_types())
def test_summary_text_reads_back_to_an_equal_type(type_: LogicalType) -> None:
    assert parse_logical_type(str(type_)) == type_


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INT", IntType()),
        ("integer not null", IntType(nullable=False)),
        ("INT NULL", IntType()),
        ("STRING", VarCharType()),
        ("VARCHAR", VarCharType()),
        ("VARCHAR(5)", VarCharType(5)),
        ("CHAR", CharType(1)),
        ("CHAR VARYING(7)", VarCharType(7)),
        ("CHARACTER(3)", CharType(3)),
        ("BYTES", VarBinaryType()),
        ("BINARY VARYING(4)", VarBinaryType(4)),
        ("BINARY", BinaryType(1)),
        ("DEC", DecimalType(10, 0)),
        ("NUMERIC(5)", DecimalType(5, 0)),
        ("DECIMAL(10, 2)", DecimalType(10, 2)),
        ("DOUBLE PRECISION", DoubleType()),
        ("TIME", TimeType(0)),
        ("TIME(3) WITHOUT TIME ZONE", TimeType(3)),
        ("TIMESTAMP", TimestampType(6)),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", TimestampType(3)),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", LocalZonedTimestampType(3)),
        ("TIMESTAMP_LTZ(9)", LocalZonedTimestampType(9)),
        ("TIMESTAMP WITH TIME ZONE NOT NULL", ZonedTimestampType(6, nullable=False)),
        ("INTERVAL YEAR", YearMonthIntervalType(YearMonthResolution.YEAR)),
        ("INTERVAL YEAR(4) TO MONTH", YearMonthIntervalType(YearMonthResolution.YEAR_TO_MONTH, 4)),
        ("INTERVAL DAY(3) TO SECOND(9)", DayTimeIntervalType(DayTimeResolution.DAY_TO_SECOND, 3, 9)),
        ("INTERVAL SECOND(3)", DayTimeIntervalType(DayTimeResolution.SECOND, 2, 3)),
        ("INTERVAL HOUR TO MINUTE", DayTimeIntervalType(DayTimeResolution.HOUR_TO_MINUTE)),
        ("ARRAY<INT NOT NULL>", ArrayType(IntType(nullable=False))),
        ("INT NOT NULL ARRAY NOT NULL", ArrayType(IntType(nullable=False), nullable=False)),
        ("INT ARRAY MULTISET", MultisetType(ArrayType(IntType()))),
        ("MAP<STRING, MAP<INT, BIGINT>>", MapType(VarCharType(), MapType(IntType(), BigIntType()))),
        ("ROW<a INT, `b c` STRING 'it''s'>", RowType((RowField("a", IntType()), RowField("b c", VarCharType(), "it's")))),
        ("ROW(a INT, row ROW<>)", RowType((RowField("a", IntType()), RowField("row", RowType())))),
        ("STRUCTURED<'a.B', x INT>", StructuredType("a.B", (RowField("x", IntType()),))),
        ("RAW('a.B', 'c==')", RawType("a.B", "c==")),
        ("NULL", NullType()),
        ("VARIANT", VariantType()),
        ("BITMAP", BitmapType()),
        ("DESCRIPTOR", DescriptorType()),
    ],
)
def test_text_is_read_as_the_type(text: str, expected: LogicalType) -> None:
    assert parse_logical_type(text) == expected


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("VARCHR(5)", "There is no type 'VARCHR'. Did you mean 'VARCHAR'", 1),
        ("ROW<a TEXT>", "There is no type 'TEXT'. Did you mean 'STRING'", 7),
        ("ARRAY<INT", "Expected >, but found the end of the text", 10),
        ("INT NOT", "Expected NULL, but found", 8),
        ("INT INT", "Expected the end of the text", 5),
        ("DECIMAL(x)", "Expected a number, but found 'x'", 9),
        ("INTERVAL WEEK", "Expected YEAR or MONTH or DAY", 10),
        ("INTERVAL DAY TO YEAR", "Expected HOUR or MINUTE or SECOND", 17),
        ("ROW<a INT b INT>", "Expected , or >, but found 'b'", 11),
        ("RAW('x)", "The quote ' is not closed", 5),
        ("INT;", "The character ';' has no meaning in a type", 4),
        ("", "Expected the name of a type, but found the end of the text", 1),
    ],
)
def test_wrong_text_is_an_error_with_its_place(text: str, message: str, column: int) -> None:
    with pytest.raises(SqlParserException) as caught:
        parse_logical_type(text)
    assert message in str(caught.value)
    assert caught.value.position is not None
    assert caught.value.position.column == column


@pytest.mark.parametrize("text", ["DECIMAL(39, 0)", "DECIMAL(5, 6)", "CHAR(0)", "TIMESTAMP(10)", "ARRAY<TIME(12)>", "INTERVAL YEAR(9)"])
def test_a_number_out_of_range_is_a_validation_error_with_its_place(text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        parse_logical_type(text)
    assert caught.value.position is not None
    assert caught.value.category == "validation"


def test_zero_length_is_read_when_allowed() -> None:
    assert parse_logical_type("CHAR(0) NOT NULL", allow_zero_length=True) == CharType(0, nullable=False)


def test_nesting_beyond_the_limit_is_a_parser_error() -> None:
    with pytest.raises(SqlParserException, match="nested at most 64"):
        parse_logical_type("ARRAY<" * 5000 + "INT" + ">" * 5000)
