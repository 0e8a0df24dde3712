import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.streaming.aggregates.bigint_sums import BigIntSumState

LEAST, MOST = -(2**63), 2**63 - 1


@pytest.fixture
def totals(run_state: Any, accumulator_of: Any) -> Callable[..., list[Any]]:
    """Returns the sum of one group after each row, which is its sign and its value."""

    def run(*rows: tuple[int, Any], size: int = 1000) -> list[Any]:
        state = BigIntSumState(accumulator_of(fn.SUM, [BigIntType()], BigIntType()))
        return list(run_state(state, [pa.int64()], [(0, sign, True, (value,)) for sign, value in rows], size))

    return run


@pytest.mark.parametrize("function", [fn.SUM, fn.SUM0])
def test_sums_are_those_of_all_rows(function: Any, agrees: Any) -> None:
    def row(chance: random.Random) -> tuple[Any, ...]:
        return (chance.choice([None, 0, 1, -1, 2**55, -(2**55)]),)

    agrees(function, [BigIntType()], BigIntType(nullable=function is fn.SUM), row, absent=False)


@pytest.mark.parametrize("size", [1, 1000])
def test_sums_reach_both_ends_of_the_type(size: int, totals: Any) -> None:
    assert totals((1, MOST), (1, LEAST), (1, 1), size=size) == [MOST, -1, 0]
    assert totals((1, LEAST), (1, 0), (-1, LEAST), size=size) == [LEAST, LEAST, 0]
    assert totals((1, -1), (1, -1), (-1, -1), (1, LEAST + 1), (-1, LEAST + 1), size=size) == [-1, -2, -1, LEAST, -1]


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    "rows",
    [
        [(1, MOST), (1, 1)],
        [(1, LEAST), (1, -1)],
        [(1, 0), (1, 5), (-1, LEAST)],
        [(1, 0), (1, -2), (-1, MOST), (1, 7)],
    ],
    ids=str,
)
def test_a_total_that_does_not_fit_is_an_error(rows: Any, size: int, totals: Any) -> None:
    with pytest.raises(TableRuntimeException, match="SUM overflows BIGINT"):
        totals(*rows, size=size)


def test_the_row_that_overflows_is_known(run_state: Any, accumulator_of: Any) -> None:
    state = BigIntSumState(accumulator_of(fn.SUM, [BigIntType()], BigIntType()))
    with pytest.raises(TableRuntimeException):
        run_state(state, [pa.int64()], [(0, 1, True, (MOST,)), (1, 1, True, (MOST,)), (1, 1, True, (1,)), (0, 1, True, (1,))])
    assert state.failed_row == 1  # of the rows sorted by group
