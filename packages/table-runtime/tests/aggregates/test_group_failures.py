from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_common.types import IntType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.group_failures import failure_in_group, first_failing
from table_runtime.aggregates.registry import make_accumulator

SUM = make_accumulator(fn.SUM, AggregateSpec("SUM", (IntType(),), IntType()))
ERROR = TableRuntimeException("SUM overflows INT.", hint="Sum CAST(… AS BIGINT) instead.")


@pytest.mark.parametrize("failing", [[0], [7], [3, 5], list(range(10))])
def test_the_first_row_that_fails_is_found(failing: list[int]) -> None:
    def compute(start: int, end: int) -> None:
        if any(start <= row < end for row in failing):
            raise ERROR

    assert first_failing(compute, 10) == failing[0]


def test_the_message_has_the_call_and_the_group() -> None:
    keys = [pa.array(["o'x"]), pa.array([None], pa.int32()), pa.array([5]), pa.array([0], pa.date32()), pa.array(["y" * 100])]
    error = failure_in_group(ERROR, SUM, "v", ["a", "b", "c", "d", "e"], keys)
    assert error.message == (f"SUM overflows INT: SUM(v) of the group a = 'o''x', b = NULL, c = 5, d = '1970-01-01', e = '{'y' * 77}...'.")
    assert error.hint == ERROR.hint


def test_names_of_computed_arguments_are_left_out() -> None:
    assert failure_in_group(ERROR, SUM, "$f0", ["a"], [pa.array([1])]).message == "SUM overflows INT: SUM of the group a = 1."


def test_without_a_group_or_a_name_the_message_stays() -> None:
    assert failure_in_group(ERROR, SUM, "$f0", [], []) is ERROR
    assert failure_in_group(ERROR, SUM, "v", [], []).message == "SUM overflows INT: SUM(v)."


def test_failures_of_user_code_stay() -> None:
    error = TableRuntimeException("f failed\nTraceback")
    assert failure_in_group(error, SUM, "v", ["a"], [pa.array([1])]) is error


def test_names_of_variants_are_those_of_sql() -> None:
    spec = AggregateSpec("JSON_OBJECTAGG_NULL_ON_NULL", (VarCharType(), IntType()), VarCharType())
    objects = make_accumulator(fn.JSON_OBJECTAGG_NULL_ON_NULL, spec)
    error = TableRuntimeException("JSON_OBJECTAGG: a key is NULL.")
    message = failure_in_group(error, objects, "a, b", ["k"], [pa.array([True])]).message
    assert message == "JSON_OBJECTAGG: a key is NULL: JSON_OBJECTAGG(a, b) of the group k = True."
