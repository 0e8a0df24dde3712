"""Mathematical methods: the calls that they build, and the order of their arguments."""

from __future__ import annotations

import pytest

from table_api.expressions import Expression, TimeIntervalUnit, col


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (col("a").abs, "ABS(a)"),
        (abs(col("a")), "ABS(a)"),
        (col("a").log(), "LOG(a)"),
        (col("a").log(2), "LOG(2, a)"),
        (col("a").round(-1), "ROUND(a, -1)"),
        (col("a").truncate(), "TRUNCATE(a, 0)"),
        (col("a").floor(), "FLOOR(a)"),
        (col("ts").ceil(TimeIntervalUnit.DAY), "CEIL(ts, DAY)"),
        (col("a").inet_aton(), "INET_ATON(a)"),
    ],
    ids=str,
)
def test_a_method_calls_its_built_in_function(expression: Expression, summary: str) -> None:
    assert str(expression) == summary
