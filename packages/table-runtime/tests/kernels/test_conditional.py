"""CASE, COALESCE and other choices among arguments."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import comparison, conditional
from table_runtime.expressions import EvaluationContext, Evaluator

_TRUE, _FALSE, _UNKNOWN = (True, "BOOLEAN"), (False, "BOOLEAN"), (None, "BOOLEAN")


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (conditional.CASE, (_UNKNOWN, "a", _TRUE, "b", "c"), "b"),
        (conditional.IF, (_UNKNOWN, 1, 2), 2),
        (conditional.COALESCE, ((None, "INT"), 3, 4), 3),
        (conditional.IFNULL, ((None, "INT"), Decimal("2.5")), "2.5"),
        (conditional.NULLIF, (1, 1), None),
        (conditional.NULLIF, (1, 2), 1),
        (conditional.GREATEST, (1, 3, 2), 3),
        (conditional.LEAST, ("b", "a"), "a"),
        (conditional.LEAST, (1, (None, "INT")), None),
        (conditional.CASE, (_FALSE, "a", _UNKNOWN, "b", (None, "STRING")), None),
        (conditional.CASE, (_TRUE, 1, Decimal("2.50")), "1.00"),
        (conditional.COALESCE, ((None, "INT"), (None, "INT")), None),
        (conditional.NULLIF, ((None, "INT"), 1), None),
        (conditional.NULLIF, (1, (None, "INT")), 1),
        (conditional.GREATEST, (1, Decimal("1.5")), "1.5"),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    assert outcome(function, *args) == expected


@pytest.mark.parametrize("texts", [("low", "middle", "high"), (None, "middle", "high")])
def test_case_of_constant_texts_chooses_per_row(expressions: Any, context: EvaluationContext, texts: tuple[str | None, ...]) -> None:
    column = expressions.column(0, "INT")
    low, middle = (expressions.call(comparison.LESS_THAN, column, limit) for limit in (10, 20))
    first, second, third = ((text, "STRING") for text in texts)
    call = expressions.call(conditional.CASE, low, first, middle, second, third)
    batch = pa.record_batch({"f0": pa.array([5, 15, 25, None], pa.int32())})
    assert Evaluator([call], context).evaluate(batch)[0].to_pylist() == [texts[0], "middle", "high", "high"]


def test_a_case_of_several_texts_of_columns_and_constants(expressions: Any) -> None:
    conditions = [expressions.column(index, "BOOLEAN") for index in (0, 1)]
    call = expressions.call(
        conditional.CASE, conditions[0], "x", conditions[1], expressions.column(2, "STRING"), expressions.column(3, "STRING")
    )
    columns: list[list[Any]] = [
        [True, False, None, False, None, True],
        [True, True, True, False, None, None],
        ["a", "b", None, "d", "e", "f"],
        ["1", "2", "3", "4", None, "6"],
    ]
    (result,) = Evaluator([call], EvaluationContext(time_zone="UTC", query_start=0)).evaluate(
        pa.record_batch({f"f{index}": pa.array(column) for index, column in enumerate(columns)})
    )
    assert result.to_pylist() == ["x", "b", None, "4", None, "x"]
