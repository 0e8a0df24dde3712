"""Lowers calls of process table functions over bounded tables."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ProcessTableFunctionQueryOperation, SortOrder
from table_api.operations.changelog import INSERT_ONLY, Changes
from table_api.plan import node_details
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression
from table_runtime.columns.ordering import SortKey
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.streaming.operators.bounded_process_table import BoundedProcessTable
from table_runtime.streaming.operators.process_table_spec import ProcessSpec, TableColumns, process_spec


@lower.register(ProcessTableFunctionQueryOperation)
def lower_process_table_function(
    node: ProcessTableFunctionQueryOperation, inputs: Sequence[Operator], context: LoweringContext
) -> Operator:
    node.require_insertions()
    spec = process_spec_of(node, context, [INSERT_ONLY] * len(inputs), INSERT_ONLY)
    return BoundedProcessTable(spec, inputs, node_details(node))


def process_spec_of(
    node: ProcessTableFunctionQueryOperation, context: LoweringContext, inputs: Sequence[Changes], given: Changes, retention: int = 0
) -> ProcessSpec:
    """Returns the physical form of a call: ``inputs`` are the changes of its tables, ``given`` those that it emits, ``retention`` is how long state is kept."""
    tables = [
        TableColumns(
            argument.name,
            table.resolved_schema.to_row_type(),
            arrow_schema(table.resolved_schema, context),
            tuple(key.field_index for key in argument.partition_by),
            tuple(map(_sort_key, argument.order_by)),
            -1 if argument.time is None else argument.time.field_index,
            node.columns_through(number),
            changes.changelog_mode,
        )
        for number, (table, argument, changes) in enumerate(zip(node.tables, node.arguments, inputs, strict=True))
    ]
    schema = arrow_schema(node.resolved_schema, context)
    evaluator = Evaluator(node.scalars, context.evaluation)
    return process_spec(node.function, tables, evaluator, schema, node.time_type, given.changelog_mode, retention)


def _sort_key(order: SortOrder) -> SortKey:
    if not isinstance(order.expression, FieldReferenceExpression):
        raise TableInternalError(f"A sort key is not a column: {order.expression}.")
    return SortKey(order.expression.field_index, order.ascending, order.nulls_first)
