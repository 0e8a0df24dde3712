"""Methods of arrays, maps, rows and bitmaps: the calls that they build."""

from __future__ import annotations

import pytest

from table_api.expressions import Expression, col


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (col("a").at(1), "AT(a, 1)"),
        (col("a")["k"], "AT(a, 'k')"),
        (col("r").get("x"), "GET(r, 'x')"),
        (col("r").x, "GET(r, 'x')"),
        (col("a").cardinality, "CARDINALITY(a)"),
        (col("a").map_union(col("b"), col("c")), "MAP_UNION(a, b, c)"),
        (col("a").array_slice(2), "ARRAY_SLICE(a, 2)"),
        (col("a").array_slice(2, -1), "ARRAY_SLICE(a, 2, -1)"),
        (col("a").array_sort(), "ARRAY_SORT(a)"),
        (col("a").array_sort(False, True), "ARRAY_SORT(a, False, True)"),
        (col("a").array_join(","), "ARRAY_JOIN(a, ',')"),
        (col("a").object_update("x", 1), "OBJECT_UPDATE(a, 'x', 1)"),
        (col("a").bitmap_and(col("b")), "BITMAP_AND(a, b)"),
        (col("a").bitmap_build_agg(), "BITMAP_BUILD_AGG(a)"),
    ],
    ids=str,
)
def test_a_method_calls_its_built_in_function(expression: Expression, summary: str) -> None:
    assert str(expression) == summary
