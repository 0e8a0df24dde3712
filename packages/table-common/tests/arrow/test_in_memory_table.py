"""Data of this process as a source."""

from __future__ import annotations

import pickle
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import in_memory_table
from table_common.connector.source.statistics import TableStats
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import BigIntType, DecimalType, DoubleType, IntType, RowType, SmallIntType, VarCharType

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", None, "y"]})


class Foreign:
    """Data of another library."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._data.__arrow_c_stream__(requested_schema)


class ForeignBatch:
    """One batch of another library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        return TABLE.to_batches()[0].__arrow_c_array__(requested_schema)


def rows(source: Any) -> list[dict[str, Any]]:
    return [row for split in source.splits() for batch in source.read(split) for row in batch.to_pylist()]


@pytest.mark.parametrize(
    "data", [TABLE, TABLE.to_batches()[0], TABLE.to_reader(), Foreign(TABLE), ForeignBatch()], ids=lambda data: type(data).__name__
)
def test_arrow_data_of_every_kind_is_read(data: object) -> None:
    source = in_memory_table(data)
    assert source.row_type == RowType.of([("a", BigIntType()), ("b", VarCharType())], nullable=False)
    assert rows(source) == TABLE.to_pylist()


def test_a_stream_can_be_read_again() -> None:
    source = in_memory_table(TABLE.to_reader())
    assert rows(source) == rows(source) == rows(pickle.loads(pickle.dumps(source)))


def test_pieces_hold_all_rows_and_are_no_more_than_batches() -> None:
    table = pa.Table.from_batches(TABLE.to_batches() * 5)
    assert len(in_memory_table(table, pieces=3).splits()) == 3
    assert len(in_memory_table(table, pieces=9).splits()) == 5
    assert len(in_memory_table(TABLE.slice(0, 0), pieces=9).splits()) == 1
    assert rows(in_memory_table(table, pieces=3)) == table.to_pylist()


def test_names_and_types_go_by_position() -> None:
    source = in_memory_table(TABLE, ["k", "v"], [SmallIntType(), VarCharType()])
    assert source.row_type.field_names == ("k", "v")
    assert rows(source)[0] == {"k": 1, "v": "x"}


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [([1, 2], DoubleType(), [1.0, 2.0]), ([1.0, 2.0], IntType(), [1, 2]), ([1, 2], DecimalType(5, 1), [Decimal("1.0"), Decimal("2.0")])],
)
def test_numbers_are_converted(values: list[Any], type_: Any, expected: list[Any]) -> None:
    assert [row["a"] for row in rows(in_memory_table(pa.table({"a": values}), types=[type_]))] == expected


@pytest.mark.parametrize(
    ("values", "type_"), [([1.5], IntType()), ([70_000], SmallIntType()), (["1"], IntType()), ([None], IntType(nullable=False))]
)
def test_what_does_not_fit_is_an_error_that_names_the_column(values: list[Any], type_: Any) -> None:
    with pytest.raises((ValidationException, TableRuntimeException), match="Column 'a'"):
        in_memory_table(pa.table({"a": pa.array(values)}), types=[type_])


@pytest.mark.parametrize(
    ("data", "arguments", "message"),
    [
        ([1, 2], {}, "A table is made of a table, record batch or reader of pyarrow"),
        (TABLE, {"names": ["a"]}, "The schema has 1 columns, but the data has 2: a, b"),
        (TABLE, {"names": ["a", "a"]}, "Two columns have the name 'a'"),
        (TABLE, {"pieces": 0}, "1 piece or more"),
        (pa.table({"a": pa.array([None], pa.month_day_nano_interval())}), {}, "Column 'a'"),
    ],
)
def test_what_is_no_table_is_an_error(data: object, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        in_memory_table(data, **arguments)


def test_it_knows_how_many_rows_it_has_unless_they_are_filtered() -> None:
    source = in_memory_table(TABLE)
    assert source.report_statistics() == TableStats(row_count=3)
    source.apply_limit(2)
    assert source.report_statistics() == TableStats(row_count=2)


def test_data_without_columns_is_refused() -> None:
    with pytest.raises(ValidationException, match="no columns"):
        in_memory_table(pa.table({}))


@pytest.mark.parametrize("first", ["from table_common.arrow import InMemoryTable", "import table_common.arrow.in_memory_table"])
def test_the_function_is_exported_also_after_its_module_was_imported(first: str) -> None:
    program = f"{first}\nfrom table_common.arrow import in_memory_table\nprint(callable(in_memory_table))"
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output == "True\n"
