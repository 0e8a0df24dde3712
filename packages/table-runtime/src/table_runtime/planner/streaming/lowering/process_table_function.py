"""Lowers calls of process table functions."""

from __future__ import annotations

from table_api.operations import ProcessTableFunctionQueryOperation
from table_api.plan import node_details
from table_runtime.planner.lowering.process_table_function import process_spec_of
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.process_table_forms import process_table


@lower_node.register(ProcessTableFunctionQueryOperation)
def lower_process_table_function(node: ProcessTableFunctionQueryOperation, context: StreamContext) -> AnyOperator:
    inputs = context.changes_of_inputs(node)
    spec = process_spec_of(node, context.lowering, inputs, context.changes_of(node), context.retention)
    return process_table(spec, node_details(node))
