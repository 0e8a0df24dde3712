"""Inputs from Python rows, and the rows that an operator yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions import FunctionDefinition
from table_common.types import LogicalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.operators.aggregate_bundles import AggregateColumn
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.values import Values

Row = tuple[Any, ...]


class Harness:
    """Makes inputs and runs operators with two threads."""

    def __init__(self, context: ExecutionContext) -> None:
        self.context = context

    def source(self, fields: Sequence[tuple[str, pa.DataType]], rows: Sequence[Row], *, batch_rows: int = 3) -> Operator:
        """Returns an operator that yields the rows in batches of a few."""
        schema = pa.schema(list(fields))

        def make() -> list[pa.RecordBatch]:
            return [
                pa.RecordBatch.from_arrays(
                    [pa.array([row[i] for row in rows[start : start + batch_rows]], type=field.type) for i, field in enumerate(schema)],
                    schema=schema,
                )
                for start in range(0, len(rows), batch_rows)
            ]

        return Values(schema, make, len(rows))

    def rows(self, operator: Operator) -> list[Row]:
        """Returns the rows that come out."""
        return [row for batch in operator.batches(self.context) for row in rows_of(batch)]

    def aggregate(
        self,
        function: FunctionDefinition,
        args: Sequence[int],
        argument_types: Sequence[LogicalType],
        output_type: LogicalType,
        *,
        distinct: bool = False,
        filter_column: int | None = None,
        constants: tuple[Any, ...] = (),
        orders: tuple[tuple[bool, bool], ...] = (),
    ) -> AggregateColumn:
        """Returns a call of an aggregate function over columns."""
        spec = AggregateSpec(function.name, tuple(argument_types), output_type, constants, orders)
        return AggregateColumn(make_accumulator(function, spec), tuple(args), distinct, filter_column)


def rows_of(batch: pa.RecordBatch) -> list[Row]:
    if batch.num_columns == 0:
        return [()] * batch.num_rows
    return list(zip(*(column.to_pylist() for column in batch.columns), strict=True))


@pytest.fixture
def harness() -> Iterator[Harness]:
    context = ExecutionContext(parallelism=2)
    yield Harness(context)
    context.close()


class Endless(Operator):
    """Yields batches for ever and remembers whether it was closed."""

    def __init__(self) -> None:
        super().__init__(pa.schema([("a", pa.int64())]))
        self.is_closed = False

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        try:
            while True:
                context.check()
                yield pa.RecordBatch.from_arrays([pa.array([1, 2, 3])], schema=self.schema)
        finally:
            self.is_closed = True


@pytest.fixture
def endless() -> Endless:
    return Endless()


MakeEndless = Callable[[], Endless]
