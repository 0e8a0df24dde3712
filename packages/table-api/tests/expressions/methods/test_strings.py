"""String methods: the calls that they build, and the order of their arguments."""

from __future__ import annotations

import pytest

from table_api.expressions import Expression, col


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (col("a").upper_case, "UPPER(a)"),
        (col("a").substring(2), "SUBSTRING(a, 2)"),
        (col("a").substr(2, 3), "SUBSTRING(a, 2, 3)"),
        (col("a").trim(), "TRIM(BOTH, ' ', a)"),
        (col("a").trim_leading("x"), "TRIM(LEADING, 'x', a)"),
        (col("a").trim_trailing("x"), "TRIM(TRAILING, 'x', a)"),
        (col("a").ltrim(), "LTRIM(a)"),
        (col("a").like("x%"), "LIKE(a, 'x%')"),
        (col("a").like("x!%", "!"), "LIKE(a, 'x!%', '!')"),
        (col("a").position("xyz"), "POSITION(a, 'xyz')"),
        (col("a").locate("xyz", 2), "LOCATE(a, 'xyz', 2)"),
        (col("a").overlay("b", 1), "OVERLAY(a, 'b', 1)"),
        (col("a").regexp_extract("(b)", 1), "REGEXP_EXTRACT(a, '(b)', 1)"),
        (col("a").str_to_map(), "STR_TO_MAP(a)"),
        (col("a").str_to_map(";", ":"), "STR_TO_MAP(a, ';', ':')"),
        (col("a").str_to_map(";"), "STR_TO_MAP(a)"),
        (col("n").elt("x", "y"), "ELT(n, 'x', 'y')"),
        (col("a").parse_url("HOST"), "PARSE_URL(a, 'HOST')"),
    ],
    ids=str,
)
def test_a_method_calls_its_built_in_function(expression: Expression, summary: str) -> None:
    assert str(expression) == summary
