"""Columns that a table declares and a file does not have, at any depth."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import ValidationException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.file_columns import MISSING_COLUMNS_HINT, arrow_parts, require_columns, require_text_names

INNER = pa.struct([("x", pa.int32()), ("y", pa.string())])
SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("r", INNER),
        ("l", pa.list_(INNER)),
        ("ll", pa.large_list(INNER)),
        ("f", pa.list_(INNER, 2)),
        ("m", pa.map_(pa.string(), INNER)),
        ("k", pa.map_(INNER, pa.int32())),
        ("n", pa.list_(pa.map_(pa.string(), pa.list_(INNER)))),
    ]
)


def require(**columns: str) -> None:
    row_type = RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()])
    require_columns(row_type, SCHEMA, "the file 'f'")


def test_a_file_may_have_more_columns_and_fields_in_another_order() -> None:
    require(r="ROW<y STRING, x INT>", id="INT")
    require(l="ARRAY<ROW<y STRING>>", m="MAP<STRING, ROW<x INT>>", n="ARRAY<MAP<STRING, ARRAY<ROW<x INT>>>>")


def test_a_missing_column_is_an_error_with_the_closest_and_a_hint() -> None:
    with pytest.raises(ValidationException, match=r"^Column 'idd' does not exist in the file 'f'\. Did you mean 'id'") as failure:
        require(idd="INT")
    assert failure.value.hint == MISSING_COLUMNS_HINT


@pytest.mark.parametrize(
    ("column", "type_"),
    [
        ("r", "ROW<z INT>"),
        ("l", "ARRAY<ROW<z INT>>"),
        ("ll", "ARRAY<ROW<z INT>>"),
        ("f", "ARRAY<ROW<z INT>>"),
        ("m", "MAP<STRING, ROW<z INT>>"),
        ("k", "MAP<ROW<z INT>, INT>"),
        ("k", "MULTISET<ROW<z INT>>"),
        ("n", "ARRAY<MAP<STRING, ARRAY<ROW<z INT>>>>"),
    ],
)
def test_a_missing_field_is_named_with_its_column(column: str, type_: str) -> None:
    with pytest.raises(ValidationException, match=rf"^Field 'z' does not exist in the file 'f', column '{column}'"):
        require(**{column: type_})


@pytest.mark.parametrize(("column", "type_"), [("id", "ROW<z INT>"), ("r", "ARRAY<ROW<z INT>>"), ("id", "MAP<STRING, ROW<z INT>>")])
def test_a_column_of_another_kind_is_left_to_the_reader(column: str, type_: str) -> None:
    require(**{column: type_})


def test_a_schema_of_another_kind_is_taken_apart_by_its_own_function() -> None:
    def parts(found: Any) -> Any:
        return found if isinstance(found, dict) else None

    row_type = RowType.of([("r", parse_logical_type("ROW<x INT>"))])
    require_columns(row_type, {"r": {"x": 1}}, "the file 'f'", parts)
    with pytest.raises(ValidationException, match=r"^Field 'x' does not exist"):
        require_columns(row_type, {"r": {"y": 1}}, "the file 'f'", parts)


def test_what_is_neither_a_row_nor_a_collection_has_no_parts() -> None:
    assert arrow_parts(pa.int32()) is None
    assert arrow_parts(pa.map_(pa.string(), pa.int32())) == {"key": pa.string(), "value": pa.int32()}


def test_names_that_are_no_text_are_found_at_any_depth() -> None:
    class Damaged:
        """A field as Arrow gives it if its name is no UTF-8."""

        @property
        def name(self) -> str:
            return b"\xff".decode()

    class Type:
        num_fields = 1

        def field(self, index: int) -> Damaged:
            return Damaged()

    class Field:
        name = "outer"
        type = Type()

    require_text_names(SCHEMA)
    with pytest.raises(UnicodeDecodeError):
        require_text_names([Field()])  # type: ignore[arg-type]  # Arrow makes no such schema


def test_the_hint_for_a_column_whose_values_folders_have_is_to_declare_partitions() -> None:
    row_type = RowType.of([("day", parse_logical_type("DATE"))])
    with pytest.raises(ValidationException, match=r"hint: .* declare PARTITIONED BY \(`day`, `hour`\)"):
        require_columns(row_type, SCHEMA, "the Parquet file '/data/t/day=2026-01-01/hour=3/x.parquet'")
    with pytest.raises(ValidationException, match="hint: 'missing-columns'"):
        require_columns(row_type, SCHEMA, "the Parquet file '/data/t/days=3/x.parquet'")
