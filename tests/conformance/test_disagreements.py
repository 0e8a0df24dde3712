"""Tests of the comparison of two engines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from disagreements import declared_gaps, disagreements

ROWS = ["rows", [["a", "INT"]], [[1], [2]], ["+I", "+I"]]
RUNNER = SimpleNamespace(same_rows=lambda left, right, types, ordered: left == right if ordered else sorted(left) == sorted(right))


def line(result: list[Any], sql: str = "SELECT a FROM t", ordered: bool = False) -> dict[str, dict[str, Any]]:
    return {"x_1": {"area": "x", "passed": True, "sql": sql, "ordered": ordered, "compare": None, "result": result}}


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (ROWS, None),
        (["rows", [["a", "INT"]], [[2], [1]], ["+I", "+I"]], None),
        (["rows", [["a", "INT"]], [[1], [3]], ["+I", "+I"]], "rows"),
        (["rows", [["a", "BIGINT"]], [[1], [2]], ["+I", "+I"]], "types"),
        (["error", "execution", "TableRuntimeException: Division by zero."], "kind"),
        (["error", None, f"TableException: it cannot run the function: {declared_gaps()[0]}."], "unsupported"),
    ],
)
def test_results_are_compared_by_rows_types_and_errors(other: list[Any], kind: str | None) -> None:
    found = disagreements(line(ROWS), line(other), RUNNER)
    assert [one.kind for one in found] == ([] if kind is None else [kind])


def test_the_order_of_rows_counts_with_order_by() -> None:
    turned = ["rows", [["a", "INT"]], [[2], [1]], ["+I", "+I"]]
    assert [one.kind for one in disagreements(line(ROWS, ordered=True), line(turned, ordered=True), RUNNER)] == ["rows"]


def test_physical_plans_are_not_compared() -> None:
    plans = [["rows", [["result", "STRING"]], [[text]], ["+I"]] for text in ("one", "other")]
    assert disagreements(line(plans[0], "EXPLAIN SELECT 1"), line(plans[1], "EXPLAIN SELECT 1"), RUNNER) == []
