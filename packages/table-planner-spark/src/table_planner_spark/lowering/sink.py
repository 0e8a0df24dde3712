"""Lowers INSERT: the connector's runtime provider becomes a write on Spark."""

from __future__ import annotations

from table_api.operations import SinkModifyOperation
from table_api_bridge import DataFrameSinkProvider
from table_common.configuration import session_time_zone
from table_common.connector import ArrowSinkProvider, FileSinkProvider
from table_common.exceptions import TableException, TableInternalError
from table_planner_spark.context import LoweringContext
from table_planner_spark.relation import SparkRelation
from table_planner_spark.scan.providers import why_unsupported
from table_planner_spark.sink.arrow_sink import plan_arrow_write
from table_planner_spark.sink.data_frame import plan_frame_write
from table_planner_spark.sink.files import plan_file_write
from table_planner_spark.sink.lengths import guard_lengths
from table_planner_spark.sink.not_null import guard_nested_not_null, guard_not_null
from table_planner_spark.sink.write import SinkWrite


def lower_sink(node: SinkModifyOperation, child: SparkRelation, context: LoweringContext) -> SinkWrite:
    """Returns the write of the rows of ``child``.

    Raises:
        TableException: Spark cannot write what the connector provides; the message says why.
    """
    table = node.table.identifier.as_summary_string()
    if node.sink is None:
        raise TableInternalError(f"The sink of {table} was not created before planning.")
    provider = node.sink.get_sink_runtime_provider(
        node.sink_context(is_bounded=True, local_time_zone=session_time_zone(context.configuration))
    )
    refusal = why_unsupported(provider)
    if refusal is not None:
        raise TableException(f"The planner 'spark' cannot write the table '{table}': {refusal}.")
    child = guard_not_null(child, node, context.configuration)
    child = guard_nested_not_null(child, node, context.configuration)
    child = guard_lengths(child, node, context.configuration)
    if isinstance(provider, FileSinkProvider):
        return plan_file_write(provider, child)
    if isinstance(provider, ArrowSinkProvider):
        return plan_arrow_write(provider, child, node.child.resolved_schema.to_row_type(), table)
    assert isinstance(provider, DataFrameSinkProvider)
    return plan_frame_write(provider, child, node.child.resolved_schema)
