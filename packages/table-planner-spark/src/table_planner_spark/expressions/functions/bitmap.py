"""Functions of BITMAP values, which are serialized Roaring bitmaps. Spark's own bitmaps have another format, so Python workers compute these."""

from __future__ import annotations

from table_api.operations import AggregateCall
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import bitmap as fn
from table_planner_spark.expressions.functions.translation import AggregateArguments, AggregateTranslation, Translation
from table_planner_spark.expressions.worker_kernels import aggregate_in_worker, through_kernel


def _collected(call: AggregateCall, given: AggregateArguments) -> str:
    values = f"collect_list({'DISTINCT ' if call.distinct else ''}{given.args[0]}){given.filter}"
    return aggregate_in_worker(call.function, call.args[0].output_type, call.output_type, values)


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.BITMAP_BUILD: through_kernel,
    fn.BITMAP_FROM_BYTES: through_kernel,
    fn.BITMAP_TO_BYTES: lambda call, args: args[0],
    fn.BITMAP_TO_ARRAY: through_kernel,
    fn.BITMAP_TO_STRING: through_kernel,
    fn.BITMAP_CARDINALITY: through_kernel,
    fn.BITMAP_AND: through_kernel,
    fn.BITMAP_ANDNOT: through_kernel,
    fn.BITMAP_OR: through_kernel,
    fn.BITMAP_XOR: through_kernel,
}
AGGREGATES: dict[FunctionDefinition, AggregateTranslation] = {
    fn.BITMAP_BUILD_AGG: _collected,
    fn.BITMAP_AND_AGG: _collected,
    fn.BITMAP_OR_AGG: _collected,
    fn.BITMAP_XOR_AGG: _collected,
    fn.BITMAP_BUILD_CARDINALITY_AGG: _collected,
    fn.BITMAP_AND_CARDINALITY_AGG: _collected,
    fn.BITMAP_OR_CARDINALITY_AGG: _collected,
    fn.BITMAP_XOR_CARDINALITY_AGG: _collected,
}
