from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableInternalError
from table_common.functions import AggregateFunction, as_user_function
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, VarCharType
from table_runtime import aggregates
from table_runtime.aggregates import Accumulator, AggregateSpec
from table_runtime.aggregates.collect import OrderedFirst, OrderedLast, Percentile
from table_runtime.aggregates.extremes import Extreme
from table_runtime.aggregates.registry import ACCUMULATORS, make_accumulator
from table_runtime.streaming.aggregates.kept_rows import KeptRowsState
from table_runtime.streaming.aggregates.registry import create_function_state, state_of


def classes_below(cls: type[Accumulator]) -> set[type[Accumulator]]:
    return {cls, *(one for below in cls.__subclasses__() for one in classes_below(below))}


def test_every_class_of_accumulators_has_a_state_or_keeps_rows_on_purpose() -> None:
    for module in pkgutil.iter_modules(aggregates.__path__):
        import_module(f"{aggregates.__name__}.{module.name}")
    found = {cls for cls in classes_below(Accumulator) if cls.__module__.startswith(aggregates.__name__) and not cls.__abstractmethods__}
    others = {Extreme, OrderedFirst, OrderedLast}  # the base of MIN and MAX, and the accumulators of calls with ORDER BY
    assert state_of.missing(cls for cls in found if not cls.is_user_defined) == others


def test_an_accumulator_of_an_unknown_class_does_not_keep_rows_in_silence() -> None:
    class Other(Percentile):
        pass

    with pytest.raises(TableInternalError, match="no state over changelogs for the accumulator Other"):
        create_function_state(Other(AggregateSpec("OTHER", (DoubleType(),), DoubleType())), [pa.float64()], has_retractions=True)


def columns_of(function: Any) -> int:
    has_parameters = function.aggregate_traits.has_parameters
    return 1 if has_parameters else max(1, function.get_type_inference().input.argument_count.minimum)


@pytest.mark.parametrize("has_retractions", [True, False])
@pytest.mark.parametrize("function", sorted(ACCUMULATORS, key=str), ids=str)
def test_every_built_in_aggregate_is_incremental(function: Any, has_retractions: bool) -> None:
    types = (VarCharType(), DoubleType()) if "OBJECTAGG" in str(function) else (DoubleType(),) * columns_of(function)
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
