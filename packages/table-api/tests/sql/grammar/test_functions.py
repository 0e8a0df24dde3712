"""Calls: clauses of aggregates, OVER windows, COUNT(*)."""

from __future__ import annotations

from table_api.expressions.unresolved import (
    Call,
    FrameBoundKind,
    FrameUnit,
    Over,
    Reference,
)
from table_api.sql.ast import (
    Select,
)
from table_api.sql.parser import parse_statement


def select(text: str) -> Select:
    query = parse_statement(text)
    assert isinstance(query, Select)
    return query


def test_over_window_with_frame() -> None:
    (over,) = select("SELECT SUM(x) OVER (w PARTITION BY a ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t").projection
    assert isinstance(over, Over)
    assert not isinstance(over.window, str)
    assert (over.window.base, over.window.unit) == ("w", FrameUnit.ROWS)
    assert over.window.lower is not None
    assert over.window.lower.kind is FrameBoundKind.PRECEDING


def test_a_frame_without_between_has_no_upper_bound() -> None:
    (over,) = select("SELECT SUM(x) OVER (ORDER BY b RANGE UNBOUNDED PRECEDING) FROM t").projection
    assert isinstance(over, Over)
    assert not isinstance(over.window, str)
    assert over.window.lower is not None
    assert over.window.lower.kind is FrameBoundKind.UNBOUNDED_PRECEDING
    assert over.window.upper is None


def test_everything_behind_an_aggregate() -> None:
    (call,) = select("SELECT F(DISTINCT a, b ORDER BY c) WITHIN GROUP (ORDER BY d) FILTER (WHERE e) IGNORE NULLS FROM t").projection
    assert isinstance(call, Call)
    assert (call.distinct, len(call.args), len(call.order_by), len(call.within_group)) == (True, 2, 1, 1)
    assert call.filter == Reference(("e",))
    assert call.ignore_nulls is True


def test_count_star_has_no_arguments() -> None:
    (call,) = select("SELECT COUNT(*) FROM t").projection
    assert call == Call(("COUNT",), star=True)
