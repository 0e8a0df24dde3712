"""Sums of a column plus a constant: from the column's sum and count where numbers are small, else from the computed values."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import arithmetic
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.moved_sums import MovedSum, Offset
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan
from table_runtime.columns.keys import KeyCodec

MOST = 2**63 - 1
B = BigIntType()


def moved(number: int) -> MovedSum:
    function = arithmetic.PLUS if number >= 0 else arithmetic.MINUS
    call = CallExpression(function, (FieldReferenceExpression("v", B, 0, 0), ValueLiteralExpression(abs(number), B)), B)
    return MovedSum(AggregateSpec("SUM", (B,), B), Offset(call, number))


def total(number: int, *batches: list[int | None]) -> int | None:
    plan = AggregationPlan(KeyCodec([]), [moved(number)])
    parts = [plan.partial([], [[pa.array(batch, pa.int64())]], len(batch)) for batch in batches]
    result: int | None = plan.finish(plan.merge(parts))[0][0].as_py()
    return result


@pytest.mark.parametrize("number", [3, -2])
@pytest.mark.parametrize(
    "batches", [([1, None, 5],), ([1, 2], [None], [7]), ([MOST - 10, -MOST + 20], [4]), ([MOST // 2, MOST // 2], [-MOST // 2])]
)
def test_the_sum_is_that_of_the_values(number: int, batches: tuple[list[int | None], ...]) -> None:
    assert total(number, *batches) == sum(value + number for batch in batches for value in batch if value is not None)


def test_no_values_have_no_sum() -> None:
    assert total(3, [None], []) is None


def test_small_numbers_read_the_column_itself() -> None:
    values = pa.array([1, 2, None], pa.int64())
    assert moved(5).partial_reductions([values], 3)[0].column is values
    large = pa.array([MOST - 1, 2], pa.int64())
    assert all(one.column is not large for one in moved(1).partial_reductions([large], 2))


@pytest.mark.parametrize(("number", "value"), [(1, MOST), (-2, -MOST)])
def test_a_value_that_overflows_is_an_error(number: int, value: int) -> None:
    with pytest.raises(TableRuntimeException, match="BIGINT"):
        total(number, [1, value])


def test_messages_and_plans_have_the_constant() -> None:
    assert moved(-2).argument_text(["v"]) == "v - 2"
    assert repr(Offset(CallExpression(arithmetic.PLUS, (), B), 7)) == "+ 7"
