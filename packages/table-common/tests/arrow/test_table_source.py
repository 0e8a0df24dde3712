"""Sources that select rows with Arrow: what is pushed down is done to their batches."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from table_common.arrow import ArrowTableSource, from_python_rows, to_python_rows
from table_common.connector import ArrowScanProvider, ChangelogMode, ScanTableSource
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import comparison, strings
from table_common.types import BigIntType, BooleanType, RowType, VarCharType

ROW = RowType.of([("id", BigIntType()), ("name", VarCharType())], nullable=False)
READ: list[int] = []
"""The first ids of the batches that were asked for."""


@dataclass
class Numbers(ArrowTableSource):
    """Three batches of two rows."""

    def read(self, split: object) -> Iterator[Any]:
        for start in (1, 3, 5):
            READ.append(start)
            yield from_python_rows([(start, f"n{start}"), (start + 1, None)], ROW)


@pytest.fixture
def source() -> Numbers:
    READ.clear()
    return Numbers(ROW)


def rows(source: ArrowTableSource) -> list[tuple[Any, ...]]:
    provider = pickle.loads(pickle.dumps(source.get_scan_runtime_provider(ScanTableSource.ScanContext())))
    assert isinstance(provider, ArrowScanProvider)
    return [row for split in provider.splits() for row in to_python_rows(list(provider.read(split)), source.produced_type)]


def greater_than(number: int) -> CallExpression:
    column = FieldReferenceExpression("id", BigIntType(), 0, 0)
    return CallExpression(comparison.GREATER_THAN, (column, ValueLiteralExpression(number, BigIntType(nullable=False))), BooleanType())


def test_all_rows_are_read_if_nothing_is_pushed_down(source: Numbers) -> None:
    assert rows(source) == [(1, "n1"), (2, None), (3, "n3"), (4, None), (5, "n5"), (6, None)]


def test_filters_are_done_to_the_batches(source: Numbers) -> None:
    assert source.apply_filters([greater_than(4)]).remaining_filters == ()
    assert rows(source) == [(5, "n5"), (6, None)]


def test_filters_that_arrow_would_decide_differently_remain(source: Numbers) -> None:
    name = CallExpression(strings.UPPER, (FieldReferenceExpression("name", VarCharType(), 0, 1),), VarCharType())
    condition = CallExpression(comparison.IS_NULL, (name,), BooleanType(nullable=False))
    assert source.apply_filters([condition]).remaining_filters == (condition,)
    assert len(rows(source)) == 6


def test_columns_are_chosen_and_ordered(source: Numbers) -> None:
    produced = RowType((ROW.fields[1], ROW.fields[0]), nullable=False)
    source.apply_projection([(1,), (0,)], produced)
    assert source.produced_type == produced
    assert rows(source)[0] == ("n1", 1)


def test_rows_are_counted_without_columns(source: Numbers) -> None:
    source.apply_projection([], RowType((), nullable=False))
    assert sum(batch.num_rows for batch in source.selected(None)) == 6


def test_a_limit_counts_filtered_rows_and_stops_the_reading(source: Numbers) -> None:
    source.apply_filters([greater_than(1)])
    source.apply_limit(2)
    assert rows(source) == [(2, None), (3, "n3")]
    assert READ == [1, 3]


def test_a_copy_is_independent(source: Numbers) -> None:
    source.copy().apply_limit(1)
    assert len(rows(source)) == 6


def test_the_summary_shows_the_push_downs(source: Numbers) -> None:
    assert source.as_summary_string() == "Numbers"
    source.apply_filters([greater_than(4)])
    source.apply_limit(2)
    assert source.as_summary_string() == "Numbers where (id > 4) limit 2"


def test_a_source_is_insert_only_by_default(source: Numbers) -> None:
    assert source.get_changelog_mode() == ChangelogMode.insert_only()
