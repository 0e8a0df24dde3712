"""Tests for table_api.plan.window_columns."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import JoinQueryOperation, QueryOperation, TumbleWindow
from table_api.plan.context import RuleContext
from table_api.plan.facts.record import window_columns
from table_api.plan.rules.recognize_windows import recognize_windows
from table_api.plan.window_columns import WindowColumns
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.tree import children_of
from table_common.types import TimestampType

W = "TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
ON = "ON a.window_start = b.window_start AND a.window_end = b.window_end"
SIMPLE = WindowColumns(TumbleWindow(10_000), TimestampType(3), frozenset({1, 4}), frozenset({2}))


def columns_of(node: QueryOperation) -> WindowColumns | None:
    return window_columns(node, [columns_of(child) for child in children_of(node, QueryOperation)])


def found(session: Any, sql: str) -> tuple[list[int], list[int]] | None:
    """Returns the positions of the start and of the end."""
    plan = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(plan, QueryOperation)
    columns = columns_of(recognize_windows(plan, RuleContext(session)))
    return None if columns is None else (sorted(columns.starts), sorted(columns.ends))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (f"SELECT * FROM {W}", ([3], [4])),
        (f"SELECT window_end, v, window_start AS s FROM {W} WHERE v > 1", ([2], [0])),
        (f"SELECT window_start, window_start, window_end FROM {W}", ([0, 1], [2])),
        (f"SELECT window_start, v FROM {W}", None),
        (f"SELECT window_start, CAST(window_end AS TIMESTAMP(6)) FROM {W}", None),
        ("SELECT * FROM e", None),
        (f"SELECT * FROM {W} AS a CROSS JOIN UNNEST(ARRAY[1, 2]) AS u(x)", ([3], [4])),
        (f"SELECT k, window_end, window_start, COUNT(*) AS n FROM {W} GROUP BY k, window_start, window_end", ([2], [1])),
        (f"SELECT window_end, window_start FROM {W} UNION ALL SELECT window_end, window_start FROM {W}", None),
        (f"SELECT window_end, window_start FROM {W} LIMIT 3", None),
    ],
)
def test_the_window_columns_of_a_query(session: Any, sql: str, expected: tuple[list[int], list[int]] | None) -> None:
    assert found(session, sql) == expected


@pytest.mark.parametrize(("join", "expected"), [("", ([3], [4])), ("LEFT", ([3], [4])), ("RIGHT", ([9], [10])), ("FULL", None)])
def test_a_join_has_the_window_of_the_side_that_is_never_null(
    session: Any, join: str, expected: tuple[list[int], list[int]] | None
) -> None:
    sql = f"SELECT * FROM {W} AS a {join} JOIN {W} AS b {ON}"
    plan = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(plan, QueryOperation)
    while not isinstance(plan, JoinQueryOperation):
        (plan,) = children_of(plan, QueryOperation)
    columns = columns_of(recognize_windows(plan, RuleContext(session)))
    assert (None if columns is None else (sorted(columns.starts), sorted(columns.ends))) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [([2, 1], 0), ([0, 4, 2], 2), ([1, 4], None), ([2], None), ([], None)],
)
def test_the_end_among_columns_needs_the_start_too(columns: list[int], expected: int | None) -> None:
    assert SIMPLE.end_among(columns) == expected


def test_selected_columns_have_new_positions() -> None:
    selected = SIMPLE.at([2, None, 4, 1])
    assert selected is not None
    assert (selected.starts, selected.ends) == (frozenset({2, 3}), frozenset({0}))
    assert SIMPLE.at([1, None]) is None
