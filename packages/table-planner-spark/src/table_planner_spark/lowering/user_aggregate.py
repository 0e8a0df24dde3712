"""Lowers user aggregates that define ``merge`` in two phases: workers aggregate each partition to accumulators, then only these are shuffled
and merged.

Without ``merge``, Spark collects the rows of each group in one list, which must fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import pyarrow as pa

from table_api.operations import AggregateCall, AggregateQueryOperation
from table_common.arrow import to_arrow_schema
from table_common.functions import UserFunction
from table_common.types import BooleanType, RowType, VarBinaryType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.user_functions import merge_call, payload_of
from table_planner_spark.lowering.fusion import columns_of
from table_planner_spark.lowering.map_batches import encoded_columns, map_batches
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_runtime.aggregates import defines_merge
from table_runtime.columns import coalesce_batches

RUN_ROWS = 1 << 20
"""Rows of a task that are aggregated together, to one accumulator per group. More rows give fewer accumulators, but need more memory."""


def has_states(node: AggregateQueryOperation) -> bool:
    """Returns whether all aggregates of the node can be computed in two phases."""
    return bool(node.aggregates) and all(
        call.function.is_user_defined and defines_merge(call.function) and not call.distinct and not call.order_by
        for call in node.aggregates
    )


def states_of(node: AggregateQueryOperation, child: SparkRelation, context: LoweringContext) -> tuple[SparkRelation, list[str], list[str]]:
    """Returns the relation of accumulators by grouping key, the names of the key columns, and the calls that merge the accumulators."""
    used = sorted({reference.field_index for reference in columns_of(node)})
    fields = node.child.resolved_schema.to_row_type().fields
    input_type = RowType.of([(f"c{i}", fields[i].type) for i in used])
    needed = child.select([quote_name(child.columns[i]) for i in used], [child.columns[i] for i in used])
    if not used:  # only the number of rows matters, which a column carries
        input_type = RowType.of([("c", BooleanType())])
        needed = child.select(["true AS c"], ["c"])
    keys = tuple(used.index(reference.field_index) for reference in node.grouping)
    output_type = RowType.of(
        [(name, input_type.fields[key].type) for name, key in zip(node.names, keys, strict=False)]
        + [(name, VarBinaryType()) for name in node.names[len(keys) :]]
    )
    calls = tuple(
        _Call(
            _payload(call),
            tuple(used.index(argument.field_index) for argument in call.args),
            None if call.filter is None else used.index(call.filter.field_index),
        )
        for call in node.aggregates
    )
    frame = needed.frame.selectExpr(*encoded_columns(needed, input_type))
    states = map_batches(frame, input_type, output_type, _States(input_type, output_type, keys, calls), "accumulate", context)
    texts = [
        merge_call(call, f"collect_list({quote_name(column)})")
        for call, column in zip(node.aggregates, states.columns[len(keys) :], strict=True)
    ]
    return states, list(states.columns[: len(keys)]), texts


def _payload(call: AggregateCall) -> bytes:
    return payload_of(cast("UserFunction", call.function), tuple(argument.output_type for argument in call.args), call.output_type)


@dataclass(frozen=True)
class _Call:
    """One aggregate in the worker: the pickled function, the positions of its arguments and of its filter."""

    payload: bytes
    args: tuple[int, ...]
    filter: int | None


class _States:
    """Aggregates the rows of a task to keys and accumulators, run by run; called in a worker."""

    def __init__(self, input_type: RowType, output_type: RowType, keys: Sequence[int], calls: Sequence[_Call]) -> None:
        self._input_type = input_type
        self._output_type = output_type
        self._keys = keys
        self._calls = calls

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from table_planner_spark.expressions.user_functions.worker import accumulate

        input_schema, output_schema = to_arrow_schema(self._input_type), to_arrow_schema(self._output_type)
        for run in coalesce_batches(batches, RUN_ROWS):
            yield accumulate(run, input_schema, output_schema, self._keys, self._calls)
