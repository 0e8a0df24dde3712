"""Expressions as steps."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableException, TableInternalError
from table_common.functions.builtin import arithmetic, math, variant
from table_runtime.expressions.program import Program


def test_arguments_come_before_their_calls(expressions: Any) -> None:
    inner = expressions.call(arithmetic.PLUS, expressions.column(0, "INT"), 1)
    program = Program([expressions.call(arithmetic.TIMES, inner, inner)], (1,), {})
    assert all(arg < number for number, step in enumerate(program.steps) for arg in step.args)
    assert program.roots == [len(program.steps) - 1]


def test_equal_subexpressions_are_one_step(expressions: Any) -> None:
    calls = [expressions.call(arithmetic.PLUS, expressions.column(0, "INT"), 1) for _ in range(2)]
    program = Program(calls, (1,), {})
    assert (len(program.steps), program.roots[0]) == (3, program.roots[1])


@pytest.mark.parametrize(("left", "right"), [(0.0, -0.0), ((1, "INT"), (1, "BIGINT")), ("1", (b"1", "BYTES"))])
def test_constants_that_differ_are_two_steps(expressions: Any, left: Any, right: Any) -> None:
    assert len(Program([expressions.literal(left), expressions.literal(right)], (0,), {}).steps) == 2


def test_calls_that_are_not_deterministic_are_steps_of_their_own(expressions: Any) -> None:
    assert len(set(Program([expressions.call(math.RAND), expressions.call(math.RAND)], (0,), {}).roots)) == 2


def test_columns_of_the_second_input_follow_those_of_the_first(expressions: Any) -> None:
    assert Program([expressions.column(1, "INT", input_index=1)], (3, 2), {}).steps[0].column == 4
    with pytest.raises(TableInternalError, match="there is only one input"):
        Program([expressions.column(0, "INT", input_index=1)], (3,), {})


def test_a_step_can_fail_if_an_argument_can(expressions: Any) -> None:
    division = expressions.call(arithmetic.DIVIDE, expressions.column(0, "INT"), expressions.column(1, "INT"))
    program = Program([expressions.call(variant.PARSE_JSON, "1"), division], (2,), {})
    assert [program.steps[root].is_infallible for root in program.roots] == [False, False]
    assert program.steps[program.roots[1] - 1].is_infallible


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(TableException, match=r"The Arrow engine cannot evaluate object\."):
        Program([object()], (0,), {})  # type: ignore[list-item]  # no expression
