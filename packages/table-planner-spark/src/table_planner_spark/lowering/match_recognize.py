"""Lowers MATCH_RECOGNIZE: Spark partitions and sorts the rows, the Arrow operator matches them in Python workers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as fns

from table_api.operations import MatchRecognizeQueryOperation
from table_common.arrow import to_arrow_schema
from table_common.configuration import session_time_zone
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.map_batches import encoded_columns, map_batches
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_runtime.columns import SortKey
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.patterns import MatchRecognizer, MatchState, PatternSpec


@lower.register(MatchRecognizeQueryOperation)
def lower_match_recognize(node: MatchRecognizeQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Shuffles and sorts the rows by partition; without PARTITION BY, one task gets all rows."""
    (child,) = inputs
    input_type, output_type = node.child.resolved_schema.to_row_type(), node.resolved_schema.to_row_type()
    order_by = []
    for order in node.order_by:
        if not isinstance(order.expression, FieldReferenceExpression):
            raise TableInternalError(f"An order is not a column: {order.expression}.")
        order_by.append(SortKey(order.expression.field_index, order.ascending, order.nulls_first))
    spec = PatternSpec(
        to_arrow_schema(input_type),
        to_arrow_schema(output_type),
        tuple(key.field_index for key in node.partition_by),
        tuple(order_by),
        node.pattern,
        node.definitions,
        node.measures,
        node.after_match,
        node.after_match_variable,
        node.within,
    )
    frame = child.frame.selectExpr(*encoded_columns(child, input_type))
    keys = [fns.col(quote_name(child.columns[position])) for position in spec.partition_by]
    frame = frame.repartition(*keys) if keys else frame.repartition(1)
    frame = frame.sortWithinPartitions(*[_order(key, child.columns) for key in spec.sort_keys])
    evaluation = EvaluationContext(session_time_zone(context.configuration), time.time_ns(), current_scope().legacy_casts)
    matching = _Matching(MatchRecognizer(spec, evaluation))
    return map_batches(frame, input_type, output_type, matching, "match_recognize", context)


def _order(key: SortKey, columns: Sequence[str]) -> Column:
    column = fns.col(quote_name(columns[key.column]))
    if key.ascending:
        return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()
    return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()


class _Matching:
    """Matches the sorted rows of a Spark partition; called in a worker."""

    def __init__(self, recognizer: MatchRecognizer) -> None:
        self._recognizer = recognizer

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        state = MatchState()
        for batch in batches:
            yield from self._recognizer.process_sorted(batch, state)
        yield from self._recognizer.finish(state)
