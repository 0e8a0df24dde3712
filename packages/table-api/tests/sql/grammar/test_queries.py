"""The shape of queries."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import (
    Alias,
    Reference,
    Star,
)
from table_api.sql.ast import (
    GroupingSets,
    GroupingSetsKind,
    ParenthesizedRef,
    Select,
    SetOperationQuery,
    SetOperator,
    TableNameRef,
    Values,
    WithQuery,
)
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


def select(text: str) -> Select:
    query = parse_statement(text)
    assert isinstance(query, Select)
    return query


def test_all_clauses_of_select() -> None:
    query = select(
        "SELECT DISTINCT a, t.*, b AS c, d e FROM t WHERE a GROUP BY a HAVING b WINDOW w AS (PARTITION BY a) QUALIFY c ORDER BY a DESC NULLS LAST "
        "LIMIT 5 OFFSET 2 ROWS"
    )
    assert query.distinct
    assert query.projection == (Reference(("a",)), Star(("t",)), Alias(Reference(("b",)), "c"), Alias(Reference(("d",)), "e"))
    assert query.source == TableNameRef(("t",))
    assert (query.where, query.having, query.qualify) == (Reference(("a",)), Reference(("b",)), Reference(("c",)))
    assert query.group_by == (Reference(("a",)),)
    assert query.windows[0].name == "w"
    assert (query.order_by[0].ascending, query.order_by[0].nulls_first) == (False, False)
    assert query.fetch.value == 5  # type: ignore[union-attr]
    assert query.offset.value == 2  # type: ignore[union-attr]


def test_fetch_first_is_a_limit() -> None:
    assert select("SELECT 1 OFFSET 1 ROW FETCH NEXT 3 ROWS ONLY").fetch.value == 3  # type: ignore[union-attr]


def test_limit_all_is_no_limit() -> None:
    assert select("SELECT 1 LIMIT ALL").fetch is None


def test_no_group_by_differs_from_an_empty_one() -> None:
    assert select("SELECT 1").group_by is None
    assert select("SELECT 1 FROM t GROUP BY ()").group_by == ()


def test_parentheses_in_group_by_are_flattened() -> None:
    assert select("SELECT 1 FROM t GROUP BY a, (b, c)").group_by == (Reference(("a",)), Reference(("b",)), Reference(("c",)))


def test_grouping_sets_nest() -> None:
    query = select("SELECT 1 FROM t GROUP BY GROUPING SETS ((a, b), ROLLUP (c, (d, e)), ())")
    a, b, c, d, e = (Reference((name,)) for name in "abcde")
    rollup = GroupingSets(GroupingSetsKind.ROLLUP, ((c,), (d, e)))
    assert query.group_by == (GroupingSets(GroupingSetsKind.GROUPING_SETS, ((a, b), rollup, ())),)


def test_intersect_binds_tighter_than_union() -> None:
    query = parse_statement("SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 MINUS SELECT 4")
    assert isinstance(query, SetOperationQuery)
    assert query.operator is SetOperator.EXCEPT
    assert isinstance(query.left, SetOperationQuery)
    assert (query.left.operator, query.left.all) == (SetOperator.UNION, True)
    assert isinstance(query.left.right, SetOperationQuery)
    assert query.left.right.operator is SetOperator.INTERSECT


def test_order_by_belongs_to_the_whole_set_operation() -> None:
    query = parse_statement("SELECT 1 UNION SELECT 2 ORDER BY 1")
    assert isinstance(query, SetOperationQuery)
    assert query.order_by
    assert not query.right.order_by


def test_query_in_parentheses_keeps_its_own_order() -> None:
    query = select("(SELECT a FROM t ORDER BY a LIMIT 1) ORDER BY b")
    assert isinstance(query.source, ParenthesizedRef)
    assert query.order_by[0].expression == Reference(("b",))
    assert query.source.query.order_by[0].expression == Reference(("a",))  # type: ignore[union-attr]


def test_with_query_holds_its_parts_in_order() -> None:
    query = parse_statement("WITH a (x) AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a, b ORDER BY 1")
    assert isinstance(query, WithQuery)
    assert [(cte.name, cte.columns) for cte in query.ctes] == [("a", ("x",)), ("b", ())]
    assert query.body.order_by


def test_values_rows_are_tuples() -> None:
    query = parse_statement("VALUES (1, 'a'), ROW(2, 'b'), 3")
    assert isinstance(query, Values)
    assert [len(row) for row in query.rows] == [2, 2, 1]


def test_a_row_in_parentheses_is_a_row_of_values() -> None:
    query = parse_statement("VALUES (ROW(1, 2))")
    assert isinstance(query, Values)
    assert len(query.rows[0]) == 2


def test_a_row_beside_another_value_is_one_column() -> None:
    query = parse_statement("VALUES (ROW(1, 2), 3)")
    assert isinstance(query, Values)
    assert len(query.rows[0]) == 2


# --- FROM -------------------------------------------------------------------------------------------------------------------------


def test_select_takes_hints() -> None:
    assert [hint.name for hint in select("SELECT /*+ BROADCAST(a), STATE_TTL('a'='1d') */ * FROM a").hints] == ["BROADCAST", "STATE_TTL"]


# --- calls ------------------------------------------------------------------------------------------------------------------------


def test_star_takes_no_alias() -> None:
    with pytest.raises(ValidationException, match=r"\* takes no alias"):
        parse_statement("SELECT * t")
