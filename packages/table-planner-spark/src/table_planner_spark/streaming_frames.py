"""Plans over streaming DataFrames. Those that keep no state become streaming DataFrames themselves, which the program starts; an INSERT in streaming mode may
keep state over one of them. Plans over unbounded tables become streaming DataFrames too, beside what streaming mode does with them.

Spark plans a streaming query again for each of its batches, in a copy of the session that the program has given the DataFrame, with the options of that
session. So the plan may depend on no option that Spark's analysis reads again: it contains no TIME where the statement does not ask for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from table_api.operations import ModifyOperation, QueryOperation, SourceQueryOperation
from table_api.plan import node_details, nodes_with_state, unbounded_leaves
from table_api_bridge import DataFrameQueryOperation, DataFrameScanProvider
from table_common.connector import ScanTableSource
from table_common.exceptions import TableException
from table_common.expressions import ResolvedExpression
from table_common.tree import preorder
from table_common.types import TimeType, types_in
from table_planner_spark.context import table_label
from table_planner_spark.spark_internals import SPARK_VERSION, why_not_streaming

_TIME = "spark.sql.timeType.enabled"
_WATERMARK = "spark.watermarkDelayMs"
"""The metadata by which Spark finds the column of a watermark."""


def streaming_leaves(plan: QueryOperation, context: ScanTableSource.ScanContext) -> list[QueryOperation]:
    """Returns the leaves of a plan that are streaming DataFrames."""
    return [leaf for leaf in unbounded_leaves(plan, context) if _is_frame(leaf, context)]


def require_one_stream(operations: Sequence[ModifyOperation], context: ScanTableSource.ScanContext) -> None:
    """Checks that a job in streaming mode can read its streaming DataFrames: INSERTs that read one together can.

    Raises:
        TableException: one of the operations is a query over a streaming DataFrame, or they read several.
    """
    require_no_run([operation for operation in operations if operation.target_name is None], context)
    found: list[QueryOperation] = []
    for operation in operations:
        found += [leaf for leaf in streaming_leaves(operation.child, context) if leaf not in found]
    if len(found) > 1:
        labels = " and ".join(_label(leaf) for leaf in found)
        raise TableException(
            f"The statement reads {len(found)} streaming DataFrames: {labels}. Spark forms the batches of each alone, and a job takes those of one.",
            hint="Declare the others as tables, such as of 'kafka', or of 'filesystem' with 'source.monitor-interval': the job reads them beside it.",
        )


def require_no_run(operations: Sequence[ModifyOperation], context: ScanTableSource.ScanContext) -> None:
    """Refuses statements over streaming DataFrames, which are not executed: only the program starts and stops a streaming query of Spark.

    Raises:
        TableException: one of the operations reads a streaming DataFrame.
    """
    for operation in operations:
        leaves = streaming_leaves(operation.child, context)
        if not leaves:
            continue
        message = f"The rows of a statement over a streaming DataFrame do not end, and Spark delivers them only to a query that the program starts: {_label(leaves[0])}."
        for node, reason in nodes_with_state(operation.child, unbounded_leaves(operation.child, context))[:1]:
            raise TableException(f"{message} Besides, {_text(node)} keeps state: {reason}.", hint=_IN_STREAMING_MODE)
        hint = "env.to_data_frame(table) is a streaming DataFrame: to_data_frame(table).writeStream.….start(); or run an INSERT in streaming mode."
        raise TableException(message, hint=hint)


_IN_STREAMING_MODE = (
    "An INSERT in streaming mode keeps state: SET 'execution.runtime-mode' = 'streaming'; env.execute_sql('INSERT INTO … SELECT …'); "
    "or let Spark do this step on the DataFrame of to_data_frame."
)


def require_one_by_one(plan: QueryOperation, leaves: Sequence[QueryOperation], program: SparkSession) -> None:
    """Checks that Spark can run a plan as a streaming query in the program's session: that each row of the leaves is treated alone.

    Raises:
        TableException: a node keeps state, or the plan has TIME, which the session has not.
    """
    for node, reason in nodes_with_state(plan, leaves)[:1]:
        raise TableException(f"{_text(node)} keeps state over {_label(leaves[0])}: {reason}.", hint=_IN_STREAMING_MODE)
    if SPARK_VERSION >= (4, 1) and program.conf.get(_TIME, None) != "true" and (place := _time_in(plan)) is not None:
        raise TableException(
            f"{place} is of the type TIME, and the Spark session does not let streaming queries have it.",
            hint=f"spark.conf.set('{_TIME}', 'true'), and leave it so while the query runs; or CAST to STRING or TIMESTAMP in the DataFrame.",
        )


def require_streaming(frame: DataFrame) -> None:
    """Checks a DataFrame as Spark does when the program starts it.

    Raises:
        TableException: Spark runs it in no output mode.
    """
    reason = why_not_streaming(frame)
    if reason is not None:
        raise TableException(f"Spark does not run the query as a streaming one: {reason}", hint=_IN_STREAMING_MODE)


def watermark_metadata(frame: DataFrame) -> dict[str, dict[str, Any]]:
    """Returns the metadata of columns that have a watermark of Spark's."""
    return {field.name: {_WATERMARK: field.metadata[_WATERMARK]} for field in frame.schema.fields if _WATERMARK in field.metadata}


def is_streaming_frame(leaf: QueryOperation, provider: object) -> bool:
    """Returns whether a leaf is a streaming DataFrame; ``provider`` is that of a table."""
    if provider is not None:
        return isinstance(provider, DataFrameScanProvider) and not provider.is_bounded
    return isinstance(leaf, DataFrameQueryOperation) and leaf.is_streaming


def frame_of(leaf: QueryOperation, provider: object, program: SparkSession) -> DataFrame:
    """Returns the streaming DataFrame of a leaf in the session of the program; ``provider`` is that of a table."""
    if isinstance(provider, DataFrameScanProvider):
        return provider.create(program)
    assert isinstance(leaf, DataFrameQueryOperation)
    return leaf.frame


def _is_frame(leaf: QueryOperation, context: ScanTableSource.ScanContext) -> bool:
    source = leaf.source if isinstance(leaf, SourceQueryOperation) else None
    return is_streaming_frame(leaf, source.get_scan_runtime_provider(context) if isinstance(source, ScanTableSource) else None)


def _label(leaf: QueryOperation) -> str:
    return (
        table_label(leaf)
        if isinstance(leaf, SourceQueryOperation)
        else f"the streaming DataFrame ({', '.join(leaf.resolved_schema.column_names)})"
    )


def _text(node: QueryOperation) -> str:
    return f"{node.summary_name}({node_details(node)})"


def _time_in(plan: QueryOperation) -> str | None:
    """Returns the first column or expression of the type TIME."""
    for node in preorder(plan, QueryOperation):
        for column in node.resolved_schema.columns:
            if any(isinstance(part, TimeType) for part in types_in(column.data_type)):
                return f"The column '{column.name}'"
        for expression in node.expressions:
            for part in preorder(expression, ResolvedExpression):
                if any(isinstance(one, TimeType) for one in types_in(part.output_type)):
                    return str(part)
    return None
