"""Aggregate methods: calls, DISTINCT and OVER."""

from __future__ import annotations

import pytest

from table_api.expressions import Expression, col
from table_common.exceptions import ValidationException


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (col("a").sum, "SUM(a)"),
        (col("a").sum0, "SUM0(a)"),
        (col("a").count.distinct, "COUNT(DISTINCT a)"),
        (col("a").list_agg(), "LISTAGG(a)"),
        (col("a").list_agg(";"), "LISTAGG(a, ';')"),
        (col("a").percentile(0.5), "PERCENTILE(a, 0.5)"),
        (col("a").sum.over(col("w")), "SUM(a) OVER w"),
        (col("a").sum.over("w"), "SUM(a) OVER w"),
    ],
    ids=str,
)
def test_a_method_calls_its_built_in_function(expression: Expression, summary: str) -> None:
    assert str(expression) == summary


def test_distinct_of_an_expression_that_is_no_call_is_refused() -> None:
    with pytest.raises(ValidationException, match="distinct belongs to an aggregate"):
        _ = col("a").distinct


def test_over_takes_the_alias_of_a_window() -> None:
    with pytest.raises(ValidationException, match="over takes the alias of a window"):
        col("a").sum.over(col("w") + 1)
