from __future__ import annotations

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions import AggregateFunction, as_user_function
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import ACCUMULATORS, make_accumulator
from table_runtime.streaming.aggregates.kept_rows import KeptRowsState
from table_runtime.streaming.aggregates.registry import create_function_state


@pytest.mark.parametrize("has_retractions", [True, False])
@pytest.mark.parametrize("function", sorted(ACCUMULATORS, key=str), ids=str)
def test_every_built_in_aggregate_is_incremental(function: Any, has_retractions: bool) -> None:
    types = (VarCharType(), DoubleType()) if "OBJECTAGG" in str(function) else (DoubleType(),)
    for output in (DoubleType(), DecimalType(38, 2)):
        accumulator = make_accumulator(function, AggregateSpec(str(function), types, output))
        state = create_function_state(accumulator, [pa.float64()] * len(types), has_retractions=has_retractions)
        assert not isinstance(state, KeptRowsState)


def test_ordered_aggregates_are_recomputed_from_all_rows() -> None:
    spec = AggregateSpec("FIRST_VALUE", (DoubleType(), DoubleType()), DoubleType(), orders=((True, True),))
    state = create_function_state(make_accumulator(fn.FIRST_VALUE, spec), [pa.float64(), pa.float64()], has_retractions=True)
    assert isinstance(state, KeptRowsState)


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


@pytest.mark.parametrize("func_type", ["general", "arrow"])
def test_user_functions_keep_accumulators_unless_vectorized(func_type: str) -> None:
    definition = as_user_function(Total())
    definition.func_type = func_type
    accumulator = make_accumulator(definition, AggregateSpec("total", (BigIntType(),), BigIntType()))
    state = create_function_state(accumulator, [pa.int64()], has_retractions=True)
    assert isinstance(state, KeptRowsState) == (func_type == "arrow")


def test_states_are_imported_on_first_use() -> None:
    code = (
        "import sys, table_runtime.streaming.aggregates.registry; print([m for m in sys.modules if m.endswith(('texts', 'percentiles'))])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
