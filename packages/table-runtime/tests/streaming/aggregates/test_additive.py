import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, IntType, LogicalType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.streaming.aggregates.additive import AdditiveState
from table_runtime.streaming.aggregates.registry import create_function_state
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups

DECIMAL = DecimalType(38, 2)


def accumulator(function: FunctionDefinition, type_: LogicalType, output: LogicalType | None = None) -> Any:
    return make_accumulator(function, AggregateSpec(function.name, (type_,), output if output is not None else type_))


@pytest.mark.parametrize(
    ("function", "type_", "arrow", "expected"),
    [
        (fn.COUNT, BigIntType(), pa.int64(), True),
        (fn.SUM, IntType(), pa.int32(), True),
        (fn.AVG, BigIntType(), pa.int64(), True),
        (fn.MAX, IntType(), pa.int32(), False),
        (fn.LISTAGG, VarCharType(), pa.string(), False),
        (fn.VAR_POP, DoubleType(), pa.float64(), False),
        (fn.SINGLE_VALUE, IntType(), pa.int32(), False),
    ],
)
def test_functions_with_sums_and_counts_are_additive(
    function: FunctionDefinition, type_: LogicalType, arrow: pa.DataType, expected: bool
) -> None:
    state = create_function_state(accumulator(function, type_), [arrow], has_retractions=True)
    assert isinstance(state, AdditiveState) is expected


def advanced(function: FunctionDefinition, type_: LogicalType, values: pa.Array, signs: list[int], slots: list[int]) -> list[Any]:
    """Returns the results in two batches: after each row of both, by slot."""
    state = AdditiveState(accumulator(function, type_), [values.type])
    state.reserve(max(slots) + 1)
    counts = np.zeros(max(slots) + 1, np.int64)
    results: list[Any] = []
    half = len(slots) // 2
    for start, end in ((0, half), (half, len(slots))):
        groups = SlotGroups(np.array(slots[start:end], np.int64))
        sorted_signs = np.array(signs[start:end], np.int64)[groups.order]
        running = running_counts(sorted_signs, np.repeat(counts[groups.slots], groups.sizes), groups)
        counts[groups.slots] = running.after[groups.ends - 1]
        segments = Segments(groups, running.before, running.after)
        after = state.advance([values.slice(start, end - start).take(pa.array(groups.order))], sorted_signs, segments).to_pylist()
        results += [after[place] for place in np.argsort(groups.order).tolist()]
    return results


def test_sums_continue_across_batches() -> None:
    values = pa.array([1, 10, 2, None, 20, 1], pa.int32())
    assert advanced(fn.SUM, IntType(), values, [1, 1, 1, 1, 1, -1], [0, 1, 0, 0, 1, 0]) == [1, 10, 3, 3, 30, 2]


def test_a_sum_over_no_values_is_null() -> None:
    values = pa.array([None, 5, 5, None], pa.int32())
    assert advanced(fn.SUM, IntType(), values, [1, 1, -1, 1], [0, 0, 0, 0]) == [None, 5, None, None]


def test_sums_of_decimals_are_exact_to_38_digits_and_null_beyond() -> None:
    large = Decimal("99999999999999999999999999999999999.99")
    values = pa.array([large, Decimal("0.01"), Decimal("-0.01"), large], pa.decimal128(38, 2))
    assert advanced(fn.SUM, DECIMAL, values, [1, 1, 1, -1], [0, 0, 0, 0]) == [large, large + Decimal("0.01"), large, Decimal("0.00")]


def test_floats_are_summed_in_row_order_within_each_slot() -> None:
    values = pa.array([1e16, float("nan"), 1.0, 3.0, -1e16, 4.0])
    given = advanced(fn.SUM, DoubleType(), values, [1] * 6, [0, 1, 0, 2, 0, 2])
    assert given[0] == 1e16
    assert given[2:] == [1e16 + 1.0, 3.0, 0.0, 7.0]


def test_an_overflow_of_the_running_sum_is_an_error() -> None:
    with pytest.raises(Exception, match="SUM overflows INT"):
        advanced(fn.SUM, IntType(), pa.array([2**31 - 1, 1], pa.int32()), [1, 1], [0, 0])


@pytest.mark.parametrize(
    ("function", "type_", "values"),
    [
        (fn.SUM, DECIMAL, [Decimal("999999999999999999999999999999999999.99"), Decimal("-0.01"), None]),
        (fn.AVG, BigIntType(), [2**63 - 1, -5, None]),
        (fn.SUM, DoubleType(), [0.5, -0.0, 8.0, None]),
        (fn.SUM, DoubleType(), [0.5, math.nan, math.inf, -math.inf, None]),
        (fn.AVG, DoubleType(), [0.5, math.nan, math.inf, -math.inf, None]),
        (fn.COUNT, IntType(), [1, None]),
    ],
    ids=str,
)
def test_totals_equal_a_recomputation_and_can_be_snapshotted(function: Any, type_: Any, values: list[Any], agrees: Any) -> None:
    output = BigIntType() if function is fn.COUNT else type_
    agrees(
        function, [type_], output, lambda chance: (chance.choice(values),), absent=False, same=lambda v: repr(None if v is None else v + 0)
    )


def test_retracting_nan_or_infinity_restores_the_finite_sum() -> None:
    values = pa.array([1.0, math.inf, math.nan, math.nan, math.inf])
    assert [str(v) for v in advanced(fn.SUM, DoubleType(), values, [1, 1, 1, -1, -1], [0] * 5)] == ["1.0", "inf", "nan", "inf", "1.0"]
