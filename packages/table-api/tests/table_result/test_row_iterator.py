"""Tests for table_api.table_result.row_iterator."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from table_api import CloseableIterator
from table_api.table_result.row_iterator import RowIterator, python_rows
from table_common.arrow import from_python_rows
from table_common.catalog import Column, ResolvedSchema
from table_common.data import ResultRow, RowKind
from table_common.types import BigIntType, RowType, VarCharType

SCHEMA = ResolvedSchema((Column.physical("a", BigIntType()), Column.physical("b", VarCharType(10))))
ROW_TYPE = RowType.of([("a", BigIntType()), ("b", VarCharType(10))])
VALUES = [(number, None if number % 7 == 0 else f"t{number}") for number in range(40_000)]


def _rows(closed: list[bool] | None = None) -> RowIterator:
    rows = python_rows(iter([from_python_rows(VALUES, ROW_TYPE)]), SCHEMA, None)
    return RowIterator.of_parts(rows, lambda: (closed if closed is not None else []).append(True))


def test_rows_of_several_parts_are_read_in_order() -> None:
    rows = _rows()
    assert isinstance(rows, CloseableIterator)
    assert (rows.next(), next(rows)) == (VALUES[0], VALUES[1])
    assert list(rows) == VALUES[2:]
    with pytest.raises(StopIteration):
        rows.next()


def test_closing_ends_the_rows_also_in_a_loop() -> None:
    closed: list[bool] = []
    read = []
    with _rows(closed) as rows:
        for row in rows:
            read.append(row)
            if len(read) == 3:
                rows.close()
    assert read == VALUES[:3]
    assert closed == [True]
    assert list(rows) == []


def test_a_failure_is_raised_after_the_rows_before_it() -> None:
    def parts() -> Iterator[list[ResultRow]]:
        yield ResultRow.of_rows(["a"], [(1,), (2,)])
        raise ValueError("broken")

    rows = RowIterator.of_parts(parts(), lambda: None)
    assert [next(rows), next(rows)] == [(1,), (2,)]
    with pytest.raises(ValueError, match="broken"):
        next(rows)
    assert list(rows) == []


def test_rows_without_columns_are_as_many() -> None:
    batch = from_python_rows([(), ()], RowType(nullable=False))
    assert [list(part) for part in python_rows(iter([batch]), ResolvedSchema(()), None)] == [[(), ()]]


def test_many_changes_have_their_kinds() -> None:
    kinds = [RowKind.INSERT, RowKind.DELETE] * 1_000
    with_kinds = RowType.of([("a", BigIntType()), ("k", BigIntType())])
    batch = from_python_rows([(number, kind.value) for number, kind in enumerate(kinds)], with_kinds)
    (part,) = python_rows(iter([batch]), ResolvedSchema((Column.physical("a", BigIntType()),)), None)
    assert [row.get_row_kind() for row in part] == kinds
    assert part[3] == ResultRow.of_names(["a"], [3], RowKind.DELETE)


def test_the_garbage_collector_runs_while_the_program_has_the_rows() -> None:
    rows = _rows()
    states = {gc.isenabled() for _ in rows}
    assert states == {True}
