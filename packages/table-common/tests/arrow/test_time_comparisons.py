"""Conditions on files whose times have more digits than their column: they keep the rows that SQL keeps of the cut values."""

from __future__ import annotations

import operator
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from table_common.arrow import to_arrow_filter, to_arrow_type
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import comparison
from table_common.types import BooleanType, LogicalType, PrecisionTimeType, RowType, TimestampType, parse_logical_type

_COMPARISONS = {
    comparison.EQUALS: operator.eq,
    comparison.NOT_EQUALS: operator.ne,
    comparison.LESS_THAN: operator.lt,
    comparison.LESS_THAN_OR_EQUAL: operator.le,
    comparison.GREATER_THAN: operator.gt,
    comparison.GREATER_THAN_OR_EQUAL: operator.ge,
}


def rows_of(path: Path, type_: LogicalType, ticks: list[int | None], condition: ResolvedExpression) -> list[int] | None:
    """Returns the numbers of the rows that a dataset keeps, with a row group for each two rows; None if it cannot decide the condition."""
    arrow_type = to_arrow_type(type_)
    pq.write_table(pa.table({"n": range(len(ticks)), "t": pa.array(ticks, pa.int64()).view(arrow_type)}), path / "f", row_group_size=2)
    filter_, _, remaining = to_arrow_filter([condition], RowType.of([("t", type_)]))
    return None if remaining else ds.dataset(path / "f").to_table(filter=filter_)["n"].to_pylist()


@pytest.mark.parametrize("text", ["TIMESTAMP(3)", "TIMESTAMP_LTZ(0)", "TIME(2)", "TIMESTAMP(8)", "TIMESTAMP_LTZ(5)"])
@pytest.mark.parametrize("seed", range(3))
def test_comparisons_are_those_of_the_cut_values(tmp_path: Path, text: str, seed: int) -> None:
    type_ = parse_logical_type(text)
    assert isinstance(type_, PrecisionTimeType)
    tick = 1_000 if type_.precision <= 6 else 1
    step = 10 ** (9 - type_.precision)
    draw = random.Random(seed)
    first = 0 if text.startswith("TIME(") else -3
    ticks = [None, *(draw.randrange(first * step, 4 * step) // tick for _ in range(30))]
    cut = [None if value is None else value * tick // step * step for value in ticks]
    column = FieldReferenceExpression("t", type_, 0, 0)
    for nanos in [draw.randint(first, 3) * step for _ in range(3)] + [step + 1]:
        constant = ValueLiteralExpression(nanos, type_)
        for function, holds in _COMPARISONS.items():
            found = rows_of(tmp_path, type_, ticks, CallExpression(function, (column, constant), BooleanType()))
            assert found == [row for row, value in enumerate(cut) if value is not None and holds(value, nanos)], (function, nanos)
        condition = CallExpression(comparison.IS_DISTINCT_FROM, (column, constant), BooleanType())
        assert rows_of(tmp_path, type_, ticks, condition) == [row for row, value in enumerate(cut) if value != nanos]
    items = (0, step, 2 * step + 1)
    constants = tuple(ValueLiteralExpression(nanos, type_) for nanos in items)
    in_list = CallExpression(comparison.IN, (column, *constants), BooleanType())
    assert rows_of(tmp_path, type_, ticks, in_list) == [row for row, value in enumerate(cut) if value in items]
    outside = CallExpression(comparison.NOT_IN, (column, *constants), BooleanType())
    assert rows_of(tmp_path, type_, ticks, outside) == [row for row, value in enumerate(cut) if value is not None and value not in items]
    with_null = CallExpression(comparison.NOT_IN, (column, *constants, ValueLiteralExpression(None, type_)), BooleanType())
    assert rows_of(tmp_path, type_, ticks, with_null) == []


def test_columns_with_hidden_digits_are_not_compared_with_one_another(tmp_path: Path) -> None:
    column = FieldReferenceExpression("t", TimestampType(3), 0, 0)
    assert rows_of(tmp_path, TimestampType(3), [1], CallExpression(comparison.EQUALS, (column, column), BooleanType())) is None


def test_long_lists_are_not_translated(tmp_path: Path) -> None:
    column = FieldReferenceExpression("t", TimestampType(3), 0, 0)
    constants = tuple(ValueLiteralExpression(value * 1_000_000, TimestampType(3)) for value in range(100))
    assert rows_of(tmp_path, TimestampType(3), [1], CallExpression(comparison.IN, (column, *constants), BooleanType())) is None
