from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import assume, given

from table_common.arrow import LOGICAL_TYPE_KEY, from_arrow_field, from_arrow_schema, to_arrow_field, to_arrow_schema, to_arrow_type
from table_common.exceptions import ValidationException
from table_common.types import (
    DescriptorType,
    DistinctType,
    IntType,
    LocalZonedTimestampType,
    RowField,
    RowType,
    TimestampKind,
    TimestampType,
    ZonedTimestampType,
    parse_logical_type,
)
from table_testing.strategies import row_types


@given(row_types())
def test_a_schema_reads_back_to_the_same_row_type(row_type: RowType) -> None:
    assume("WITH TIME ZONE" not in str(row_type))
    assert from_arrow_schema(to_arrow_schema(row_type)) == row_type.not_null()


@pytest.mark.parametrize(
    ("text", "arrow"),
    [
        ("CHAR(3)", pa.string()),
        ("STRING", pa.string()),
        ("VARBINARY(3)", pa.binary()),
        ("DECIMAL(10, 2)", pa.decimal128(10, 2)),
        ("TINYINT", pa.int8()),
        ("FLOAT", pa.float32()),
        ("DATE", pa.date32()),
        ("TIME(0)", pa.time64("us")),
        ("TIME(9)", pa.time64("ns")),
        ("TIMESTAMP(3)", pa.timestamp("us")),
        ("TIMESTAMP(7)", pa.timestamp("ns")),
        ("TIMESTAMP_LTZ(6)", pa.timestamp("us", "UTC")),
        ("TIMESTAMP_LTZ(9)", pa.timestamp("ns", "UTC")),
        ("INTERVAL YEAR TO MONTH", pa.int32()),
        ("INTERVAL SECOND(3)", pa.duration("ms")),
        ("INTERVAL DAY TO SECOND", pa.duration("us")),
        ("INTERVAL DAY TO SECOND(9)", pa.duration("ns")),
        ("INTERVAL HOUR", pa.duration("us")),
        ("ARRAY<INT>", pa.list_(pa.int32())),
        ("MAP<STRING, INT>", pa.map_(pa.string(), pa.int32())),
        ("MULTISET<STRING>", pa.map_(pa.string(), pa.field("value", pa.int32(), nullable=False))),
        ("ROW<a INT, b STRING>", pa.struct([("a", pa.int32()), ("b", pa.string())])),
        ("STRUCTURED<'m.C', a INT>", pa.struct([("a", pa.int32())])),
        ("NULL", pa.null()),
        ("RAW('a', 'b')", pa.binary()),
        ("BITMAP", pa.binary()),
        ("VARIANT", pa.string()),
    ],
)
def test_a_logical_type_has_its_arrow_type(text: str, arrow: pa.DataType) -> None:
    assert to_arrow_type(parse_logical_type(text)) == arrow


@pytest.mark.parametrize(
    ("arrow", "text"),
    [
        (pa.large_string(), "STRING"),
        (pa.string_view(), "STRING"),
        (pa.dictionary(pa.int8(), pa.string()), "STRING"),
        (pa.large_binary(), "BYTES"),
        (pa.binary_view(), "BYTES"),
        (pa.binary(16), "BINARY(16)"),
        (pa.uint8(), "SMALLINT"),
        (pa.uint16(), "INT"),
        (pa.uint32(), "BIGINT"),
        (pa.uint64(), "DECIMAL(20, 0)"),
        (pa.float16(), "FLOAT"),
        (pa.decimal32(5, 2), "DECIMAL(5, 2)"),
        (pa.decimal64(15, 2), "DECIMAL(15, 2)"),
        (pa.decimal256(30, 2), "DECIMAL(30, 2)"),
        (pa.decimal128(5, -3), "DECIMAL(8, 0)"),
        (pa.decimal128(3, 5), "DECIMAL(5, 5)"),
        (pa.date64(), "DATE"),
        (pa.time32("s"), "TIME(0)"),
        (pa.time32("ms"), "TIME(3)"),
        (pa.timestamp("s"), "TIMESTAMP(0)"),
        (pa.timestamp("ns"), "TIMESTAMP(9)"),
        (pa.timestamp("ms", "Europe/Berlin"), "TIMESTAMP_LTZ(3)"),
        (pa.duration("us"), "INTERVAL SECOND(6)"),
        (pa.large_list(pa.int32()), "ARRAY<INT>"),
        (pa.list_(pa.int32(), 3), "ARRAY<INT>"),
        (pa.list_view(pa.int32()), "ARRAY<INT>"),
        (pa.map_(pa.string(), pa.int64()), "MAP<STRING NOT NULL, BIGINT>"),
        (pa.struct([pa.field("a", pa.int8(), nullable=False)]), "ROW<`a` TINYINT NOT NULL>"),
        (pa.run_end_encoded(pa.int32(), pa.string()), "STRING"),
        (pa.uuid(), "BINARY(16)"),
        (pa.null(), "NULL"),
    ],
)
def test_an_arrow_type_without_metadata_suggests_a_type(arrow: pa.DataType, text: str) -> None:
    assert str(from_arrow_field(pa.field("c", arrow))) == text


@pytest.mark.parametrize("arrow", [pa.month_day_nano_interval(), pa.decimal256(50, 2), pa.dense_union([pa.field("a", pa.int8())])])
def test_an_arrow_type_without_a_sql_type_is_an_error_that_names_the_column(arrow: pa.DataType) -> None:
    with pytest.raises(ValidationException, match=r"Column 'c': The Arrow type .* has no SQL type"):
        from_arrow_schema(pa.schema([pa.field("c", arrow)]))


def test_metadata_that_the_arrow_type_contradicts_is_not_believed() -> None:
    field = pa.field("c", pa.int64(), metadata={LOGICAL_TYPE_KEY: b"STRING"})
    assert str(from_arrow_field(field)) == "BIGINT"


def test_metadata_that_the_nullability_contradicts_is_not_believed() -> None:
    field = to_arrow_field("c", IntType(nullable=False)).with_nullable(True)
    assert from_arrow_field(field) == IntType()


def test_metadata_that_is_no_type_is_not_believed() -> None:
    assert from_arrow_field(pa.field("c", pa.int32(), metadata={LOGICAL_TYPE_KEY: b"\xff?"})) == IntType()


def test_metadata_holds_for_other_layouts_of_the_same_values() -> None:
    field = pa.field("c", pa.dictionary(pa.int32(), pa.large_string()), metadata={LOGICAL_TYPE_KEY: b"VARCHAR(5)"})
    assert str(from_arrow_field(field)) == "VARCHAR(5)"


def test_the_kind_of_a_timestamp_travels() -> None:
    row_type = RowType.of(
        [
            ("r", TimestampType(3, kind=TimestampKind.ROWTIME)),
            ("p", LocalZonedTimestampType(3, nullable=False, kind=TimestampKind.PROCTIME)),
        ],
        nullable=False,
    )
    assert from_arrow_schema(to_arrow_schema(row_type)) == row_type


def test_comments_travel() -> None:
    row_type = RowType((RowField("a", IntType(), "the a"),), nullable=False)
    assert from_arrow_schema(to_arrow_schema(row_type)) == row_type


def test_schemas_survive_ipc() -> None:
    row_type = parse_logical_type("ROW<a VARIANT, b RAW('x', 'y'), c ARRAY<BITMAP NOT NULL>, d INTERVAL MONTH> NOT NULL")
    assert isinstance(row_type, RowType)
    assert from_arrow_schema(pa.ipc.read_schema(to_arrow_schema(row_type).serialize())) == row_type


def test_a_distinct_type_travels_as_its_source() -> None:
    field = to_arrow_field("c", DistinctType("`cat`.`db`.`money`", IntType()))
    assert from_arrow_field(field) == IntType()


def test_timestamp_with_time_zone_is_refused_with_a_hint() -> None:
    with pytest.raises(ValidationException) as caught:
        to_arrow_type(ZonedTimestampType())
    assert "TIMESTAMP_LTZ" in (caught.value.hint or "")


def test_a_descriptor_has_no_values() -> None:
    with pytest.raises(ValidationException, match="DESCRIPTOR cannot be stored or moved"):
        to_arrow_type(DescriptorType())
