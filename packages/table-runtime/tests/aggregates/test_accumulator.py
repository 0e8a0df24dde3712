"""What a new aggregate function implements, and what it inherits."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from table_common.arrow import compute as pc
from table_common.types import BigIntType, DecimalType, IntType
from table_runtime.aggregates import Accumulator, AggregateSpec, Reduction
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan
from table_runtime.columns.keys import KeyCodec


class Greatest(Accumulator):
    """Implements only what is abstract: the states are the results of the reductions."""

    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(args[0], "max"), Reduction(None, "count_all")]

    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(state[0], "max"), Reduction(state[1], "sum")]

    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        return pc.multiply(state[0], pc.cast(state[1], pa.int32()))


SPEC = AggregateSpec("GREATEST", (IntType(),), IntType())


def test_states_and_merged_states_are_the_results_of_the_reductions() -> None:
    plan = AggregationPlan(KeyCodec([pa.string()]), [Greatest(SPEC)])
    states = [
        plan.partial([pa.array(keys)], [[pa.array(values, pa.int32())]], len(keys))
        for keys, values in ((["a", "b"], [3, None]), (["a", None], [5, 7]))
    ]
    merged = plan.merge(states)
    assert dict(zip(merged.keys[0].to_pylist(), plan.finish(merged)[0].to_pylist(), strict=True)) == {"a": 10, "b": None, None: 7}


def test_the_result_over_no_rows_is_null_and_nulls_are_ignored_by_default() -> None:
    accumulator = Greatest(SPEC)
    assert (accumulator.over_nothing(), accumulator.ignores_nulls) == (None, True)


@pytest.mark.parametrize(("type_", "arrow"), [(BigIntType(), pa.int64()), (DecimalType(7, 2), pa.decimal128(7, 2))])
def test_a_call_knows_the_arrow_type_of_its_result(type_: BigIntType | DecimalType, arrow: pa.DataType) -> None:
    assert AggregateSpec("X", (), type_).arrow_type == arrow


def test_an_accumulator_without_finish_cannot_be_made() -> None:
    class Unfinished(Greatest):
        finish = Accumulator.finish

    with pytest.raises(TypeError, match="finish"):
        Unfinished(SPEC)
