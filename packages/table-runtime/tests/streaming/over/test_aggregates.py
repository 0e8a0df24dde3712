"""Tests for table_runtime.streaming.over.aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import ArrayType, BigIntType, LogicalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.streaming.over.aggregates import FrameStart, OverAggregates, Unit

if TYPE_CHECKING:
    from conftest import Check, Partition

LONG = BigIntType()
SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64()), ("d", pa.int64())])
Values = list[int | None]


def column(function: FunctionDefinition, output: LogicalType = LONG, *, distinct: bool = False) -> AggregateColumn:
    return AggregateColumn(make_accumulator(function, AggregateSpec(function.name, (LONG,), output, ())), (1,), distinct)


def there(values: Values) -> list[int]:
    return [value for value in values if value is not None]


CALLS: list[tuple[AggregateColumn, Callable[[Values], Any]]] = [
    (column(fn.SUM), lambda values: sum(there(values)) if there(values) else None),
    (column(fn.COUNT, BigIntType(nullable=False)), lambda values: len(there(values))),
    (column(fn.COUNT, BigIntType(nullable=False), distinct=True), lambda values: len(set(there(values)))),
    (column(fn.SUM, distinct=True), lambda values: sum(set(there(values))) if there(values) else None),
    (column(fn.MIN), lambda values: min(there(values), default=None)),
    (column(fn.MAX), lambda values: max(there(values), default=None)),
    (column(fn.FIRST_VALUE), lambda values: there(values)[0] if there(values) else None),
    (column(fn.LAST_VALUE), lambda values: there(values)[-1] if there(values) else None),
    (column(fn.ARRAY_AGG, ArrayType(LONG)), lambda values: values),
]


def of_frame(unit: Unit, distance: int | None, function: Callable[[Values], Any]) -> Callable[[Partition, int], Any]:
    def result(rows: Partition, at: int) -> Any:
        if unit is Unit.ROWS:
            frame = rows[0 if distance is None else max(0, at - distance) : at + 1]
        else:
            time = rows[at][0]
            frame = [row for row in rows if row[0] <= time and (distance is None or row[0] >= time - distance)]
        return function([row[1] for row in frame])

    return result


@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("distance", [None, 0, 1, 3, 12, 1000])
def test_results_are_those_over_the_rows_of_the_frame(check: Check, unit: Unit, distance: int | None) -> None:
    calls = OverAggregates(tuple(range(len(CALLS))), FrameStart(unit, distance), SCHEMA, [0], [each for each, _ in CALLS])
    expected: Sequence[Callable[[Partition, int], Any]] = [of_frame(unit, distance, function) for _, function in CALLS]
    check(calls, expected)
