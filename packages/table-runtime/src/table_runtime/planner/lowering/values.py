"""VALUES, and SELECT without FROM."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_api.operations import ValuesQueryOperation
from table_runtime.batches import concat_arrays, fit, make_batch
from table_runtime.expressions import Evaluator
from table_runtime.operators.operator import Operator
from table_runtime.operators.values import Values
from table_runtime.planner.lowering.dispatch import LoweringContext, arrow_schema, lower

__all__ = ["lower_values"]


@lower.register(ValuesQueryOperation)
def lower_values(node: ValuesQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    schema = arrow_schema(node.schema)
    width, rows = len(schema), len(node.rows)
    evaluator = Evaluator([expression for row in node.rows for expression in row], context.evaluation)
    one_row = make_batch([], pa.schema([]), 1)

    def make() -> list[pa.RecordBatch]:
        cells = evaluator.evaluate(one_row)
        columns = [concat_arrays([fit(cell, field.type) for cell in cells[index::width]], field.type) for index, field in enumerate(schema)]
        return [make_batch(columns, schema, rows)]

    return Values(schema, make, rows)
