"""Every built-in function is translated or refused with a reason."""

from __future__ import annotations

from table_common.functions import FunctionKind
from table_common.functions.builtin import BUILT_INS
from table_planner_spark.expressions.functions import AGGREGATE_FUNCTIONS, SCALAR_FUNCTIONS
from table_planner_spark.expressions.functions.unsupported import UNSUPPORTED
from table_planner_spark.lowering.window import WINDOW_FUNCTIONS


def test_no_function_is_silently_missing() -> None:
    known = set(SCALAR_FUNCTIONS) | set(AGGREGATE_FUNCTIONS) | set(WINDOW_FUNCTIONS) | set(UNSUPPORTED)
    assert [function.name for function in BUILT_INS if function not in known] == []


def test_no_function_is_both_translated_and_refused() -> None:
    assert set(UNSUPPORTED) & (set(SCALAR_FUNCTIONS) | set(AGGREGATE_FUNCTIONS) | set(WINDOW_FUNCTIONS)) == set()


def test_scalar_functions_are_translated_as_such() -> None:
    assert {function.kind for function in SCALAR_FUNCTIONS} == {FunctionKind.SCALAR}
