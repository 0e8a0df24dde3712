"""Sources and sinks of memory tables by the options of their table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.memory import drop_memory_table, put_memory_table
from table_runtime.connectors.memory.factory import MemoryTableFactory

TableContext = Callable[..., DynamicTableFactory.Context]
COLUMNS = {"a": "INT", "b": "STRING"}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    for name in ("c.d.t", "shared"):
        drop_memory_table(name)


def test_the_table_has_the_rows_of_its_own_name_or_of_the_one_that_is_given(table: TableContext) -> None:
    put_memory_table("c.d.t", pa.table({"a": pa.array([1], pa.int32()), "b": ["own"]}))
    put_memory_table("shared", pa.table({"b": ["other"]}))
    own = MemoryTableFactory().create_dynamic_table_source(table(COLUMNS, {"connector": "memory"}))
    shared = MemoryTableFactory().create_dynamic_table_source(table(COLUMNS, {"connector": "memory", "name": "shared"}))
    assert own.rows.select(["a", "b"]).to_pylist() == [{"a": 1, "b": "own"}]
    assert shared.rows.select(["a", "b"]).to_pylist() == [{"a": None, "b": "other"}]
    assert (own.as_summary_string(), shared.as_summary_string()) == ("memory(c.d.t)", "memory(shared)")


def test_a_table_that_nothing_was_written_to_is_empty(table: TableContext) -> None:
    assert MemoryTableFactory().create_dynamic_table_source(table(COLUMNS, {"connector": "memory"})).rows.num_rows == 0


def test_keys_and_partitions_are_those_of_the_table(table: TableContext) -> None:
    sink = MemoryTableFactory().create_dynamic_table_sink(table(COLUMNS, {"connector": "memory"}, ("b",), ("a",)))
    assert (sink.definition.partition_keys, sink.definition.primary_key) == (("b",), ("a",))
    assert sink.change.columns == ("a", "b")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (True, 1, "CHANGED")),
        ({"push-down": "false", "splits": "3", "row-level-mode": "all"}, (False, 3, "ALL")),
        ({"splits": "0"}, (True, 1, "CHANGED")),
    ],
)
def test_options_have_defaults(table: TableContext, options: dict[str, str], expected: tuple[bool, int, str]) -> None:
    definition = MemoryTableFactory().create_dynamic_table_sink(table(COLUMNS, {"connector": "memory", **options})).definition
    assert (definition.push_down, definition.splits, definition.row_level_mode) == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("row-level-mode", "SOME", r"Row-level mode 'SOME' does not exist in c\.d\.t"),
        ("splits", "many", "splits"),
        ("push-down", "maybe", "push-down"),
        ("nam", "x", "did you mean 'name'"),
    ],
)
def test_wrong_options_are_refused_for_reading_and_writing(table: TableContext, key: str, value: str, expected: str) -> None:
    context = table(COLUMNS, {"connector": "memory", key: value})
    with pytest.raises(ValidationException, match=expected):
        MemoryTableFactory().create_dynamic_table_source(context)
    with pytest.raises(ValidationException, match=expected):
        MemoryTableFactory().create_dynamic_table_sink(context)
