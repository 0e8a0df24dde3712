"""Lowers INSERT to a sink operator on the connector's runtime provider."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SinkModifyOperation
from table_common.configuration import ExecutionConfigOptions
from table_common.connector import ArrowSinkProvider, FileSinkProvider
from table_common.exceptions import TableException, TableInternalError
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.planner.refusals import sink_refusal
from table_runtime.run.operator import Operator
from table_runtime.sinks.arrow_sink import ArrowSink
from table_runtime.sinks.file_sink import FileSink
from table_runtime.sinks.sink import Sink
from table_runtime.steps.lengths import CheckLengths, FitLengths
from table_runtime.steps.nested_not_null import NestedNotNull
from table_runtime.steps.not_null import NotNull
from table_runtime.steps.pipeline import Pipeline


@lower.register(SinkModifyOperation)
def lower_sink(node: SinkModifyOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    table = node.table.identifier.as_summary_string()
    if node.sink is None:
        raise TableInternalError(f"The sink of {table} was not created before planning.")
    provider = node.sink.get_sink_runtime_provider(
        node.sink_context(is_bounded=context.is_bounded, local_time_zone=context.evaluation.time_zone)
    )
    refusal = sink_refusal(provider)
    if refusal is not None:
        raise TableException(f"Table {table} cannot be written: {refusal}.")
    required = [index for index, column in enumerate(node.consumed_columns) if not column.data_type.nullable]
    drop = context.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_NOT_NULL_ENFORCER) == "DROP"
    if required:
        child = Pipeline.over(child, NotNull(child.schema, required, f"table {table}", drop=drop))
    parts = node.nested_required_parts(context.configuration)
    if parts:
        child = Pipeline.over(child, NestedNotNull(child.schema, parts, f"table {table}", drop=drop))
    enforced = node.length_enforced_columns(context.configuration)
    if enforced:
        is_error = context.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_TYPE_LENGTH_ENFORCER) == "ERROR"
        step = (
            CheckLengths(child.schema, enforced, f"table {table}") if is_error else FitLengths(child.schema, enforced, context.evaluation)
        )
        child = Pipeline.over(child, step)
    sink: Sink
    if isinstance(provider, ArrowSinkProvider):
        sink = ArrowSink(child, provider, table, node.sink.as_summary_string())
    else:
        assert isinstance(provider, FileSinkProvider)
        sink = FileSink(child, provider, table, _file_epochs)
    key = node.table.table.resolved_schema.primary_key
    names = [column.name for column in node.consumed_columns]
    if key is not None and all(name in names for name in key.columns):
        sink.key = [names.index(name) for name in key.columns]
        sink.changes_key = any(column in sink.key for column in enforced)
    return sink


def _file_epochs(provider: FileSinkProvider) -> ArrowSinkProvider:
    from table_runtime.streaming.sinks.file_epochs import FileEpochs  # needed by unbounded jobs

    return FileEpochs(provider)
