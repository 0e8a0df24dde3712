"""The rows of a job applied to the rows of a memory table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_runtime.connectors.memory.changes import MemoryChange
from table_runtime.connectors.memory.definition import MemoryDefinition
from table_runtime.connectors.memory.tables import rows_of

Define = Callable[..., MemoryDefinition]
Row = tuple[Any, ...]
COLUMNS = {"id": "INT", "s": "STRING", "d": "DOUBLE"}
NAN = float("nan")


def applied(definition: MemoryDefinition, old: Sequence[Row], new: Sequence[Row], kinds: str | None = None, **options: Any) -> list[Row]:
    """Returns the rows after a job; ``kinds`` are row kinds such as ``+I -U``."""
    columns = options.pop("columns", definition.physical_type.field_names)
    change = MemoryChange(definition, tuple(columns), has_row_kinds=kinds is not None, **options)
    fields = [definition.schema.field(name) for name in columns]
    arrays = [pa.array([row[i] for row in new], field.type) for i, field in enumerate(fields)]
    names = list(columns)
    if kinds is not None:
        codes = {kind.short_string: kind.value for kind in RowKind}
        arrays.append(pa.array([codes[text] for text in kinds.split()], pa.int8()))
        names.append("kind")
    batch = pa.RecordBatch.from_arrays(arrays, names=names)
    names = definition.physical_type.field_names
    table = pa.Table.from_pylist(
        [dict(zip(names, row, strict=True)) for row in old], schema=pa.schema([definition.schema.field(n) for n in names])
    )
    result = change.applied(rows_of(table, definition.schema), [batch.slice(0, 1), batch.slice(1)])
    assert result.schema == definition.schema
    return [tuple(row[name] for name in names) for row in result.to_pylist()]


def test_rows_are_appended_and_equal_ones_stay(define: Define) -> None:
    row = (1, "a", None)
    assert applied(define(COLUMNS), [row], [row, (2, None, 0.5)]) == [row, row, (2, None, 0.5)]


def test_columns_that_a_job_leaves_out_are_null(define: Define) -> None:
    assert applied(define(COLUMNS), [], [("x",)], columns=("s",)) == [(None, "x", None)]


def test_a_row_with_a_key_replaces_the_one_with_that_key_where_it_is(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    assert applied(definition, [(1, "a", 1.0), (2, "b", 2.0)], [(1, "A", None), (3, "c", 3.0), (3, "C", 4.0)]) == [
        (1, "A", None),
        (2, "b", 2.0),
        (3, "C", 4.0),
    ]


def test_only_the_target_columns_of_a_row_are_replaced(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    assert applied(definition, [(1, "a", 1.0)], [(1, "A", None), (2, "B", None)], targets=(0, 1)) == [(1, "A", 1.0), (2, "B", None)]


@pytest.mark.parametrize("key", [("id", "s"), ("s", "id")])
def test_a_key_may_be_several_columns(define: Define, key: tuple[str, ...]) -> None:
    definition = define(COLUMNS, key=key)
    assert applied(definition, [(1, "a", 1.0), (1, "b", 2.0)], [(1, "b", 9.0)]) == [(1, "a", 1.0), (1, "b", 9.0)]


def test_a_deletion_takes_one_equal_row_away(define: Define) -> None:
    old = [(1, "a", NAN), (1, "a", NAN), (2, None, None)]
    found = applied(define(COLUMNS), old, [(1, "a", NAN), (2, None, None), (7, "x", None)], "-D -D -D")
    assert repr(found) == repr([(1, "a", NAN)])


def test_a_deletion_goes_by_the_key_alone(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    assert applied(definition, [(1, "a", 1.0), (2, "b", 2.0)], [(1,)], "-D", columns=("id",)) == [(2, "b", 2.0)]


def test_an_update_without_a_key_takes_the_row_before_away(define: Define) -> None:
    old = [(1, "a", 1.0), (2, "b", 2.0)]
    assert applied(define(COLUMNS), old, [(1, "a", 1.0), (1, "A", 1.0)], "-U +U") == [(2, "b", 2.0), (1, "A", 1.0)]


def test_an_update_with_a_key_changes_the_row_where_it_is(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    old = [(1, "a", 1.0), (2, "b", 2.0)]
    assert applied(definition, old, [(1, "a", 1.0), (1, "A", 1.0)], "-U +U") == [(1, "A", 1.0), (2, "b", 2.0)]
    assert applied(definition, old, [(1, None, None), (1, "A", None)], "-U +U", targets=(0, 1)) == [(1, "A", 1.0), (2, "b", 2.0)]


def test_an_update_of_the_key_moves_the_row(define: Define) -> None:
    definition = define(COLUMNS, key=("id",))
    assert applied(definition, [(1, "a", 1.0)], [(1, "a", 1.0), (2, "a", 1.0)], "-U +U") == [(2, "a", 1.0)]
    assert applied(definition, [(1, "a", 1.0)], [(1, "a", 1.0)], "-U") == []


@pytest.mark.parametrize(
    ("type_", "value", "other"),
    [
        ("DOUBLE", NAN, 1.0),
        ("ARRAY<DOUBLE>", [1.0, NAN], [1.0]),
        ("ROW<x DOUBLE>", {"x": NAN}, {"x": None}),
        ("MAP<STRING, DOUBLE>", [("k", NAN)], [("k", 1.0)]),
        ("STRING", None, ""),
    ],
)
def test_a_value_is_itself_also_if_it_is_nan_or_null(define: Define, type_: str, value: Any, other: Any) -> None:
    definition = define({"v": type_})
    assert applied(definition, [(other,), (value,)], [(value,)], "-D") == applied(definition, [(other,)], [])


def test_overwriting_replaces_all_rows_or_those_of_the_partitions_that_are_written(define: Define) -> None:
    old = [(1, "a", 1.0), (2, "b", 2.0), (3, None, 3.0)]
    assert applied(define(COLUMNS), old, [(9, "b", None)], overwrite=True) == [(9, "b", None)]
    partitioned = define(COLUMNS, partitions=("s",))
    assert applied(partitioned, old, [(9, "b", None)], overwrite=True) == [(1, "a", 1.0), (3, None, 3.0), (9, "b", None)]
    assert applied(partitioned, old, [(9, None, None)], overwrite=True) == [(1, "a", 1.0), (2, "b", 2.0), (9, None, None)]
    assert applied(partitioned, old, [(9, "b", None)], overwrite=True, whole=True) == [(9, "b", None)]


def test_overwriting_with_no_rows_empties_what_is_named(define: Define) -> None:
    old = [(1, "a", 1.0), (2, "b", 2.0)]
    assert applied(define(COLUMNS), old, [], overwrite=True) == []
    partitioned = define(COLUMNS, partitions=("s",))
    assert applied(partitioned, old, [], overwrite=True) == old
    assert applied(partitioned, old, [], overwrite=True, static_partition={"s": "b"}) == [(1, "a", 1.0)]
    both = define(COLUMNS, partitions=("s", "id"))
    assert applied(both, old, [], overwrite=True, static_partition={"s": "b"}) == old
