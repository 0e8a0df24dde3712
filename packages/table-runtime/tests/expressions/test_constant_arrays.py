"""Long arrays of constants: one step, and the value that the kernel gives."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions.builtin import collections
from table_common.types import parse_logical_type
from table_runtime.expressions import EvaluationContext, Evaluator, constant_arrays
from table_runtime.expressions.program import Program

ROW_TYPE = parse_logical_type("ROW<a INT, s STRING>")
ONE_ROW = pa.record_batch({"row": pa.nulls(2)})


def _rows(count: int) -> CallExpression:
    rows = tuple(
        CallExpression(
            collections.ROW,
            (
                ValueLiteralExpression(i if i % 3 else None, parse_logical_type("INT")),
                ValueLiteralExpression(f"a{i}", parse_logical_type("STRING")),
            ),
            ROW_TYPE,
        )
        for i in range(count)
    )
    return CallExpression(collections.ARRAY, rows, parse_logical_type("ARRAY<ROW<a INT, s STRING>>"))


def test_a_long_array_of_constant_rows_is_one_step() -> None:
    assert len(Program([_rows(1000)], (), {}).steps) == 1


def test_a_long_array_of_constant_rows_has_the_value_of_the_constructors(context: EvaluationContext) -> None:
    (array,) = Evaluator([_rows(100)], context).evaluate(ONE_ROW)
    assert array.to_pylist() == [[{"a": i if i % 3 else None, "s": f"a{i}"} for i in range(100)]] * 2


def test_a_long_array_with_a_column_among_its_elements_is_made_per_row(expressions: Any, context: EvaluationContext) -> None:
    cells = (expressions.column(0, "INT"), *(ValueLiteralExpression(i, parse_logical_type("INT")) for i in range(100)))
    call = CallExpression(collections.ARRAY, cells, parse_logical_type("ARRAY<INT>"))
    (array,) = Evaluator([call], context).evaluate(pa.record_batch({"a": pa.array([7, 8], pa.int32())}))
    assert [row[:2] for row in array.to_pylist()] == [[7, 0], [8, 0]]


def _map(keys: list[Any], key_type: str = "INT") -> CallExpression:
    key, value = parse_logical_type(key_type), parse_logical_type("STRING")
    pairs = ((ValueLiteralExpression(one, key), ValueLiteralExpression(f"v{i}", value)) for i, one in enumerate(keys))
    arguments = tuple(argument for pair in pairs for argument in pair)
    return CallExpression(collections.MAP, arguments, parse_logical_type(f"MAP<{key_type}, STRING>"))


def test_a_long_map_of_constants_is_one_step() -> None:
    assert len(Program([_map(list(range(1000)))], (), {}).steps) == 1


@pytest.mark.parametrize(
    ("keys", "key_type"),
    [(list(range(100)), "INT"), ([*range(99), 7], "INT"), ([0.0, -0.0, *map(float, range(1, 99))], "DOUBLE")],
    ids=["distinct", "a key twice", "two zeros"],
)
def test_a_long_map_of_constants_has_the_value_that_the_kernel_gives(
    keys: list[Any], key_type: str, context: EvaluationContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = Evaluator([_map(keys, key_type)], context).evaluate(ONE_ROW)
    monkeypatch.setattr(constant_arrays, "_FEW", 1 << 30)
    (expected,) = Evaluator([_map(keys, key_type)], context).evaluate(ONE_ROW)
    assert str(found) == str(expected)


def test_a_long_map_with_a_null_key_is_refused(context: EvaluationContext) -> None:
    with pytest.raises(TableRuntimeException, match="A MAP cannot have NULL as a key"):
        Evaluator([_map([*range(99), None])], context).evaluate(ONE_ROW)
