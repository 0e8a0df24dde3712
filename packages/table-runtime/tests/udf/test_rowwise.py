"""Row-wise scalar functions over Arrow columns, without any planner."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionContext, ScalarFunction, as_user_function
from table_common.types import Instant, LogicalType, parse_logical_type
from table_runtime.udf import Invocation, make_invoker


def call(function: Any, columns: list[Any], *types: str, returns: str | None = None) -> list[Any]:
    definition = as_user_function(function)
    argument_types = [parse_logical_type(text) for text in types]
    output = definition.signatures[0].output.type if returns is None else parse_logical_type(returns)
    assert output is not None
    arrays = [
        c if isinstance(c, (pa.Array, pa.Scalar)) else pa.array(c, to_arrow_type(t)) for c, t in zip(columns, argument_types, strict=True)
    ]
    rows = max((len(a) for a in arrays if isinstance(a, pa.Array)), default=2)
    result: list[Any] = make_invoker(Invocation(definition, argument_types, output))(arrays, rows).to_pylist()
    return result


class Add(ScalarFunction):
    def eval(self, a: int, b: int | None) -> int:
        return a + (b if b is not None else 100)


def test_null_skips_the_call_and_none_reaches_the_parameter_that_allows_it() -> None:
    assert call(Add, [[1, None, 3], [1, 2, None]], "BIGINT", "BIGINT", returns="BIGINT") == [2, None, 103]


def test_constant_arguments() -> None:
    assert call(Add, [[1, 2], pa.scalar(10)], "BIGINT", "BIGINT") == [11, 12]


def test_constant_null_skips_all_calls() -> None:
    assert call(Add, [pa.scalar(None, pa.int64()), [1, 2]], "BIGINT", "BIGINT", returns="BIGINT") == [None, None]


class Answer(ScalarFunction):
    def eval(self) -> int:
        return 42


def test_call_without_arguments() -> None:
    assert call(Answer, []) == [42, 42]


@dataclass
class Point:
    x: int
    y: list[str]


class Move(ScalarFunction):
    def eval(self, p: Point, by: int) -> Point:
        return Point(p.x + by, [text.upper() for text in p.y])


def test_structured_classes_come_as_objects_and_go_as_rows() -> None:
    type_ = as_user_function(Move).signatures[0].output.type
    assert isinstance(type_, LogicalType)
    column = pa.array([{"x": 1, "y": ["a"]}], to_arrow_type(type_))
    invoker = make_invoker(Invocation(as_user_function(Move), [type_, parse_logical_type("BIGINT")], type_))
    assert invoker([column, pa.array([5])], 1).to_pylist() == [{"x": 6, "y": ["A"]}]


class Counting(ScalarFunction):
    calls: ClassVar[list[int]] = []

    def eval(self, a: int) -> int:
        Counting.calls.append(a)
        return -a


class CountingAtRandom(Counting):
    def is_deterministic(self) -> bool:
        return False


def test_deterministic_function_is_called_once_per_value_where_values_are_few() -> None:
    Counting.calls.clear()
    values = [i % 3 for i in range(3000)]
    assert call(Counting, [values], "BIGINT") == [-value for value in values]
    assert sorted(Counting.calls) == [0, 1, 2]


def test_function_that_is_not_deterministic_is_called_for_each_row() -> None:
    Counting.calls.clear()
    call(CountingAtRandom, [[1] * 1000], "BIGINT")
    assert len(Counting.calls) == 1000


class Broken(ScalarFunction):
    def eval(self, a: int, name: str) -> int:
        if a == 3:
            raise ValueError("three is too many")
        return a


def test_exception_names_function_row_arguments_and_users_traceback() -> None:
    with pytest.raises(TableRuntimeException) as error:
        call(Broken, [[1, 2, 3, 4], ["a", "b", "c", "d"]], "BIGINT", "STRING")
    message = error.value.message
    assert "The function Broken failed in row 3 of the batch, called with (3, 'c'): ValueError: three is too many" in message
    assert "in eval" in message
    assert "udf/rowwise.py" not in message


class Masked(Broken):
    masks_arguments = True


def test_arguments_are_masked_if_the_function_asks_for_it() -> None:
    with pytest.raises(TableRuntimeException, match=r"called with \(\*\*\*, \*\*\*\)"):
        call(Masked, [[3], ["secret"]], "BIGINT", "STRING")


class Wrong(ScalarFunction):
    def eval(self, a: int) -> int:
        return "text" if a == 2 else a  # type: ignore[return-value]


def test_wrong_type_names_what_was_declared_and_what_came() -> None:
    with pytest.raises(TableRuntimeException) as error:
        call(Wrong, [[1, 2]], "BIGINT")
    assert "row 2 of the batch, called with (2): 'text' (class str) is not a value of BIGINT" in error.value.message


class Big(ScalarFunction):
    def eval(self, a: int) -> int:
        return a * 1000


def test_int_outside_of_the_target_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="100000"):
        call(Big, [[100]], "BIGINT", returns="SMALLINT")


class NoneForNotNull(ScalarFunction):
    def eval(self, a: int) -> int:
        return None  # type: ignore[return-value]


def test_none_for_a_type_that_is_not_null_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="None"):
        call(NoneForNotNull, [[1]], "BIGINT NOT NULL", returns="BIGINT NOT NULL")


class NaiveInstant(ScalarFunction):
    def eval(self, a: Instant) -> Instant:
        return a.replace(tzinfo=None)


def test_instant_comes_with_a_time_zone_and_a_local_time_is_none() -> None:
    column = pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], pa.timestamp("us", "UTC"))
    with pytest.raises(TableRuntimeException, match="no time zone"):
        call(NaiveInstant, [column], "TIMESTAMP_LTZ(6)")


class Lifecycle(ScalarFunction):
    events: ClassVar[list[str]] = []

    def open(self, function_context: FunctionContext) -> None:
        Lifecycle.events.append(f"open {function_context.get_job_parameter('k', 'none')}")

    def close(self) -> None:
        Lifecycle.events.append("close")

    def eval(self, a: int) -> int:
        Lifecycle.events.append("eval")
        return a


def test_function_is_opened_once_and_closed_at_the_end() -> None:
    invocation = Invocation(as_user_function(Lifecycle), [parse_logical_type("BIGINT")], parse_logical_type("BIGINT"))
    invoker = make_invoker(invocation)
    for _ in range(2):
        invoker([pa.array([1])], 1)
    del invoker, invocation
    assert Lifecycle.events == ["open none", "eval", "eval", "close"]


class Tuples(ScalarFunction):
    def eval(self, a: tuple[int, ...]) -> bool:
        return isinstance(a, tuple)


def test_values_are_of_the_class_that_the_annotation_names() -> None:
    assert call(Tuples, [[[1, 2]]], "ARRAY<BIGINT>") == [True]
