from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.arrow.schema import from_arrow_field
from table_common.arrow.type_derivation import agrees_on_null, carries, derive_logical_type, is_bytes, is_list_like, is_text, unwrap
from table_common.exceptions import ValidationException
from table_common.types import IntType, NullType, parse_logical_type


@pytest.mark.parametrize(
    ("arrow", "sql"),
    [
        (pa.int8(), "TINYINT"),
        (pa.uint8(), "SMALLINT"),
        (pa.uint32(), "BIGINT"),
        (pa.float16(), "FLOAT"),
        (pa.large_string(), "STRING"),
        (pa.binary(3), "BINARY(3)"),
        (pa.binary_view(), "BYTES"),
        (pa.decimal128(10, 2), "DECIMAL(10, 2)"),
        (pa.decimal128(5, -2), "DECIMAL(7, 0)"),
        (pa.decimal128(2, 5), "DECIMAL(5, 5)"),
        (pa.date64(), "DATE"),
        (pa.time32("ms"), "TIME(3)"),
        (pa.timestamp("us"), "TIMESTAMP(6)"),
        (pa.timestamp("ns", "UTC"), "TIMESTAMP_LTZ(9)"),
        (pa.dictionary(pa.int8(), pa.string()), "STRING"),
        (pa.list_view(pa.int32()), "ARRAY<INT>"),
        (pa.map_(pa.string(), pa.int64()), "MAP<STRING NOT NULL, BIGINT>"),
        (pa.struct([pa.field("a", pa.int32(), nullable=False)]), "ROW<`a` INT NOT NULL>"),
    ],
)
def test_an_arrow_type_has_a_default_sql_type(arrow: pa.DataType, sql: str) -> None:
    assert str(derive_logical_type(arrow, from_arrow_field)) == sql


@pytest.mark.parametrize("arrow", [pa.decimal256(50, 2), pa.month_day_nano_interval()])
def test_an_arrow_type_without_a_sql_type_is_refused(arrow: pa.DataType) -> None:
    with pytest.raises(ValidationException, match="has no SQL type"):
        derive_logical_type(arrow, from_arrow_field)


@pytest.mark.parametrize(
    ("arrow", "sql", "can"),
    [
        (pa.large_string(), "CHAR(3)", True),
        (pa.string(), "BYTES", False),
        (pa.decimal128(5, 2), "DECIMAL(10, 2)", True),
        (pa.decimal128(5, 1), "DECIMAL(10, 2)", False),
        (pa.timestamp("us"), "TIMESTAMP(3)", True),
        (pa.timestamp("us"), "TIMESTAMP(9)", True),
        (pa.timestamp("us", "UTC"), "TIMESTAMP(6)", False),
        (pa.int32(), "INT", True),
        (pa.int64(), "INT", False),
        (pa.list_(pa.int32()), "ARRAY<INT>", True),
        (pa.list_(pa.int32()), "ARRAY<INT NOT NULL>", False),
    ],
)
def test_a_type_is_carried_if_no_value_changes_its_meaning(arrow: pa.DataType, sql: str, can: bool) -> None:
    assert carries(arrow, parse_logical_type(sql)) is can


def test_dictionaries_and_run_ends_are_unwrapped() -> None:
    assert unwrap(pa.dictionary(pa.int8(), pa.run_end_encoded(pa.int32(), pa.string()))) == pa.string()


def test_layouts_are_distinguished_by_their_content() -> None:
    assert is_text(pa.string_view())
    assert is_bytes(pa.binary(3))
    assert is_list_like(pa.list_(pa.int8(), 2))
    assert not is_list_like(pa.map_(pa.int8(), pa.int8()))


def test_the_type_null_is_always_nullable() -> None:
    assert agrees_on_null(pa.field("a", pa.null()), NullType(nullable=False))
    assert not agrees_on_null(pa.field("a", pa.int32()), IntType(nullable=False))
