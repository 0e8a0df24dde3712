"""OVER windows from SQL to operators: keys, frames, arguments and options of functions."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import SortOrder, WindowQueryOperation
from table_common.exceptions import TableInternalError
from table_common.expressions import ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.types import IntType
from table_runtime.planner.lowering.window import lower_window

T = "(VALUES (1, 'a', 10), (2, 'a', CAST(NULL AS INT)), (3, 'b', 30), (4, 'a', 10), (5, 'b', 50)) AS t(i, k, v)"


def column(query: Any, call: str, source: str = T) -> list[Any]:
    """The values of a call for the rows, ordered by ``i``."""
    return [row[1] for row in query(f"SELECT i, {call} FROM {source} ORDER BY i")]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ROW_NUMBER() OVER (PARTITION BY k ORDER BY i)", [1, 2, 1, 3, 2]),
        ("RANK() OVER (ORDER BY v)", [2, 1, 4, 2, 5]),
        ("DENSE_RANK() OVER (ORDER BY v)", [2, 1, 3, 2, 4]),
        ("PERCENT_RANK() OVER (ORDER BY v)", [0.25, 0.0, 0.75, 0.25, 1.0]),
        ("CUME_DIST() OVER (ORDER BY v)", [0.6, 0.2, 0.8, 0.6, 1.0]),
        ("NTILE(2) OVER (ORDER BY i)", [1, 1, 1, 2, 2]),
        ("LAG(i) OVER (ORDER BY i)", [None, 1, 2, 3, 4]),
        ("LEAD(i) OVER (ORDER BY i)", [2, 3, 4, 5, None]),
        ("LAG(i, 2) OVER (ORDER BY i)", [None, None, 1, 2, 3]),
        ("LEAD(i, 1, -1) OVER (ORDER BY i)", [2, 3, 4, 5, -1]),
        ("FIRST_VALUE(i) OVER (PARTITION BY k ORDER BY i)", [1, 1, 3, 1, 3]),
        ("LAST_VALUE(i) OVER (PARTITION BY k ORDER BY i)", [1, 2, 3, 4, 5]),
        ("COUNT(*) OVER (PARTITION BY k)", [3, 3, 2, 3, 2]),
        ("COUNT(v) OVER (PARTITION BY k)", [2, 2, 2, 2, 2]),
    ],
)
def test_a_function_is_computed_over_its_window(query: Any, call: str, expected: list[Any]) -> None:
    assert column(query, call) == expected


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("", [1, 3, 6, 10, 15]),
        ("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", [1, 3, 5, 7, 9]),
        ("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", [1, 3, 6, 10, 15]),
        ("ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING", [3, 5, 7, 9, 5]),
        ("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", [15, 14, 12, 9, 5]),
        ("ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING", [None, 1, 3, 5, 7]),
        ("ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING", [5, 7, 9, 5, None]),
        ("RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING", [3, 6, 9, 12, 9]),
    ],
)
def test_a_frame_has_its_bounds(query: Any, frame: str, expected: list[Any]) -> None:
    assert column(query, f"SUM(i) OVER (ORDER BY i {frame})") == expected


def test_rows_with_equal_order_keys_are_in_one_range_frame(query: Any) -> None:
    assert column(query, "SUM(i) OVER (ORDER BY v)") == [7, 2, 10, 7, 15]


def test_rows_with_equal_order_keys_are_apart_in_rows_frames(query: Any) -> None:
    assert column(query, "SUM(i) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING)") == [3, 2, 10, 7, 15]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("v", [2, 1, 4, 3, 5]),
        ("v DESC", [3, 5, 2, 4, 1]),
        ("v NULLS LAST", [1, 5, 3, 2, 4]),
        ("v DESC NULLS FIRST", [4, 1, 3, 5, 2]),
        ("k DESC, i DESC", [5, 4, 2, 3, 1]),
    ],
)
def test_rows_are_ordered_as_the_window_requires(query: Any, order: str, expected: list[Any]) -> None:
    assert column(query, f"ROW_NUMBER() OVER (ORDER BY {order})") == expected


def test_a_null_key_is_a_partition(query: Any) -> None:
    assert column(query, "COUNT(*) OVER (PARTITION BY v)") == [2, 1, 1, 2, 1]


def test_an_aggregate_ignores_nulls_and_is_null_without_values(query: Any) -> None:
    assert column(query, "SUM(v) OVER (PARTITION BY k ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW)") == [10, None, 30, 10, 50]


def test_a_distinct_aggregate_counts_a_value_once(query: Any) -> None:
    assert column(query, "SUM(DISTINCT v) OVER (ORDER BY i)") == [10, 10, 40, 40, 90]


def test_a_filter_selects_the_rows_of_an_aggregate(query: Any) -> None:
    assert column(query, "SUM(i) FILTER (WHERE k = 'a') OVER (ORDER BY i)") == [1, 3, 3, 7, 7]


def test_a_constant_option_of_an_aggregate_is_no_column(query: Any) -> None:
    assert column(query, "LISTAGG(k, '-') OVER (ORDER BY i)") == ["a", "a-a", "a-a-b", "a-a-b-a", "a-a-b-a-b"]


def test_a_first_value_skips_nulls_unless_they_are_respected(query: Any) -> None:
    by_age = "OVER (PARTITION BY k ORDER BY i DESC ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)"
    assert column(query, f"FIRST_VALUE(v) {by_age}") == [10, 10, 30, 10, 50]
    assert column(query, f"FIRST_VALUE(v) RESPECT NULLS {by_age}") == [10, None, 30, 10, 50]


def test_an_expression_is_an_argument_and_a_key(query: Any) -> None:
    assert column(query, "SUM(i * 10) OVER (PARTITION BY MOD(i, 2))") == [90, 60, 90, 60, 90]


def test_several_windows_are_computed_in_one_query(query: Any) -> None:
    calls = "COUNT(*) OVER (PARTITION BY k), ROW_NUMBER() OVER (ORDER BY i DESC)"
    assert query(f"SELECT i, {calls} FROM {T} ORDER BY i") == [(1, 3, 5), (2, 3, 4), (3, 2, 3), (4, 3, 2), (5, 2, 1)]


def test_no_rows_have_no_values(query: Any) -> None:
    assert query(f"SELECT SUM(i) OVER (ORDER BY i) FROM {T} WHERE i > 9") == []


def test_the_plan_shows_each_window(env: Any) -> None:
    text = env.explain_sql(f"SELECT t.*, COUNT(*) OVER (PARTITION BY k), RANK() OVER (ORDER BY v) FROM {T}")
    physical = text.partition("== Physical Plan (arrow) ==")[2]
    assert [line.strip(" +-") for line in physical.splitlines() if "OverAggregate(" in line] == [
        "OverAggregate(orderBy=[v ASC], select=[RANK() AS $w1])",
        "OverAggregate(partitionBy=[k], select=[COUNT(*) ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING AS $w0])",
    ]


def test_a_sort_key_that_is_no_column_is_an_internal_error(env: Any) -> None:
    plan = env.sql_query(f"SELECT RANK() OVER (ORDER BY v) FROM {T}").query_operation
    while not isinstance(plan, WindowQueryOperation):
        (plan,) = plan.children
    constant = SortOrder(ValueLiteralExpression(1, IntType(nullable=False)), True, True)
    broken = replace(plan, order_by=(constant,))
    with pytest.raises(TableInternalError, match="A sort key is not a column: 1"):
        lower_window(broken, [None], None)  # type: ignore[list-item,arg-type]  # both are used later
