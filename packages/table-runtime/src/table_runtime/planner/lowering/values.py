"""Lowers VALUES and SELECT without FROM."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from table_api.operations import ValuesQueryOperation
from table_common.arrow import to_arrow_type
from table_common.expressions import ResolvedExpression
from table_common.types import LogicalType
from table_runtime.batch.values import Values
from table_runtime.columns.batches import cast_array, concat_arrays, make_batch
from table_runtime.expressions import Evaluator
from table_runtime.expressions.literal import constant_column
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator


def _column(cells: Sequence[ResolvedExpression], data_type: LogicalType, context: LoweringContext) -> Callable[[], pa.Array]:
    """Returns a function that creates a column at each run: literals of the column's type are converted together, others evaluated."""
    arrow_type = to_arrow_type(data_type)
    if cells:
        constants = constant_column(cells, data_type)
        if constants is not None:
            return lambda: constants
    evaluator = Evaluator(cells, context.evaluation)
    one_row = make_batch([], pa.schema([]), 1)
    return lambda: concat_arrays([cast_array(cell, arrow_type) for cell in evaluator.evaluate(one_row)], arrow_type)


@lower.register(ValuesQueryOperation)
def lower_values(node: ValuesQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    schema = arrow_schema(node.schema, context)
    rows = len(node.rows)
    columns = [_column([row[index] for row in node.rows], node.schema.columns[index].data_type, context) for index in range(len(schema))]

    def make() -> list[pa.RecordBatch]:
        return [make_batch([column() for column in columns], schema, rows)]

    return Values(schema, make, rows)
