"""Lowers lookup joins (FOR SYSTEM_TIME AS OF) to the embedded engine's lookups in Python workers; each task opens its own lookup function."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from table_api.operations import JoinType, LookupJoinQueryOperation
from table_common.configuration import session_time_zone
from table_common.expressions import conjuncts
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.map_batches import encoded_columns, map_batches
from table_planner_spark.relation import SparkRelation
from table_runtime.batch.lookup_join import LookupJoiner, LookupSpec, lookup_settings, lookup_spec
from table_runtime.evaluation_context import EvaluationContext


@lower.register(LookupJoinQueryOperation)
def lower_lookup_join(node: LookupJoinQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Joins each partition in place, without a shuffle."""
    (child,) = inputs
    side, hint = node.side, node.hint
    input_type, output_type = node.child.resolved_schema.to_row_type(), node.resolved_schema.to_row_type()
    spec = lookup_spec(
        side.source,
        f"table {side.table}",
        side.source_schema.to_row_type(),
        [(key.column, key.value) for key in node.keys],
        input_type,
        output_type,
        keeps_left=node.join_type is JoinType.LEFT_OUTER,
        filters=side.filters,
        projection=side.projection,
        condition=() if node.condition is None else conjuncts(node.condition),
        settings=lookup_settings(
            context.configuration,
            capacity=hint.capacity,
            timeout=hint.timeout,
            max_attempts=hint.max_attempts,
            fixed_delay=hint.fixed_delay,
        ),
        evaluation=EvaluationContext(session_time_zone(context.configuration), time.time_ns(), current_scope().legacy_casts),
    )
    frame = child.frame.selectExpr(*encoded_columns(child, input_type))
    return map_batches(frame, input_type, output_type, _Lookups(spec), "lookup_join", context)


class _Lookups:
    """Joins the rows of a Spark partition; called in a worker."""

    def __init__(self, spec: LookupSpec) -> None:
        self._spec = spec

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return LookupJoiner(self._spec).process(batches)
