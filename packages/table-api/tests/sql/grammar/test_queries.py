"""The shape of queries."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import (
    Alias,
    Call,
    FrameBoundKind,
    FrameUnit,
    NamedArgument,
    Over,
    QueryArgument,
    Reference,
    Star,
)
from table_api.sql.ast import (
    GroupingSets,
    GroupingSetsKind,
    JoinKind,
    JoinRef,
    LateralRef,
    MatchRecognizeRef,
    ParenthesizedRef,
    SampledRef,
    Select,
    SetOperation,
    SetOperator,
    TableFunctionRef,
    TableNameRef,
    UnnestRef,
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
    assert isinstance(query, SetOperation)
    assert query.operator is SetOperator.EXCEPT
    assert isinstance(query.left, SetOperation)
    assert (query.left.operator, query.left.all) == (SetOperator.UNION, True)
    assert isinstance(query.left.right, SetOperation)
    assert query.left.right.operator is SetOperator.INTERSECT


def test_order_by_belongs_to_the_whole_set_operation() -> None:
    query = parse_statement("SELECT 1 UNION SELECT 2 ORDER BY 1")
    assert isinstance(query, SetOperation)
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


def test_joins_associate_to_the_left_and_the_comma_binds_weakest() -> None:
    source = select("SELECT 1 FROM a, b JOIN c ON x LEFT OUTER JOIN d USING (y, z)").source
    assert isinstance(source, JoinRef)
    assert source.is_comma
    inner = source.right
    assert isinstance(inner, JoinRef)
    assert (inner.kind, inner.using) == (JoinKind.LEFT, ("y", "z"))
    assert isinstance(inner.left, JoinRef)
    assert inner.left.condition == Reference(("x",))


@pytest.mark.parametrize(
    ("text", "kind", "natural"),
    [
        ("JOIN b ON c", JoinKind.INNER, False),
        ("INNER JOIN b ON c", JoinKind.INNER, False),
        ("RIGHT JOIN b ON c", JoinKind.RIGHT, False),
        ("FULL OUTER JOIN b ON c", JoinKind.FULL, False),
        ("CROSS JOIN b", JoinKind.CROSS, False),
        ("NATURAL LEFT JOIN b", JoinKind.LEFT, True),
        ("LEFT SEMI JOIN b ON c", JoinKind.SEMI, False),
        ("LEFT ANTI JOIN b ON c", JoinKind.ANTI, False),
    ],
)
def test_kinds_of_joins(text: str, kind: JoinKind, natural: bool) -> None:
    source = select(f"SELECT 1 FROM a {text}").source
    assert isinstance(source, JoinRef)
    assert (source.kind, source.natural) == (kind, natural)


def test_semi_stays_free_as_an_alias() -> None:
    source = select("SELECT 1 FROM a semi LEFT JOIN b ON TRUE").source
    assert isinstance(source, JoinRef)
    assert source.left.alias == "semi"


def test_table_with_hints_time_alias_and_columns() -> None:
    table = select("SELECT 1 FROM c.d.t /*+ OPTIONS('k'='v'), X(a, b) */ FOR SYSTEM_TIME AS OF o.ts AS r (p, q)").source
    assert isinstance(table, TableNameRef)
    assert (table.path, table.alias, table.column_aliases) == (("c", "d", "t"), "r", ("p", "q"))
    assert [(hint.name, hint.options, hint.arguments) for hint in table.hints] == [("OPTIONS", (("k", "v"),), ()), ("X", (), ("a", "b"))]
    assert table.as_of is not None


def test_select_takes_hints() -> None:
    assert [hint.name for hint in select("SELECT /*+ BROADCAST(a), STATE_TTL('a'='1d') */ * FROM a").hints] == ["BROADCAST", "STATE_TTL"]


def test_tablesample() -> None:
    sample = select("SELECT 1 FROM t AS x TABLESAMPLE BERNOULLI (10) REPEATABLE (3)").source
    assert isinstance(sample, SampledRef)
    assert (sample.method, sample.seed, sample.table.alias) == ("BERNOULLI", 3, "x")


@pytest.mark.parametrize(
    "text",
    [
        "(SELECT 1) AS x",
        "((SELECT 1)) AS x",
        "((SELECT 1) UNION (SELECT 2)) AS x",
        "(VALUES (1)) AS x (a)",
        "(WITH a AS (SELECT 1) SELECT 2) x",
    ],
)
def test_derived_tables(text: str) -> None:
    source = select(f"SELECT * FROM {text}").source
    assert isinstance(source, ParenthesizedRef)
    assert source.alias == "x"


@pytest.mark.parametrize("text", ["(a JOIN b ON c)", "((a JOIN b ON c) JOIN d ON e)", "((SELECT 1) AS x JOIN b ON c)", "((a), b)"])
def test_joins_in_parentheses(text: str) -> None:
    source = select(f"SELECT * FROM {text}").source
    assert isinstance(source, ParenthesizedRef)
    assert isinstance(source.query, JoinRef)


def test_lateral_and_unnest() -> None:
    source = select("SELECT 1 FROM t, LATERAL TABLE(f(a)) AS l (x), LATERAL (SELECT 1), UNNEST(b) WITH ORDINALITY AS u (e, o)").source
    assert isinstance(source, JoinRef)
    assert isinstance(source.right, UnnestRef)
    assert source.right.with_ordinality
    middle = source.left
    assert isinstance(middle, JoinRef)
    assert isinstance(middle.right, LateralRef)
    assert isinstance(middle.left, JoinRef)
    assert isinstance(middle.left.right, LateralRef)
    assert isinstance(middle.left.right.inner, TableFunctionRef)


def test_window_function_over_a_table_argument() -> None:
    source = select(
        "SELECT * FROM TABLE(SESSION(TABLE b PARTITION BY (k, l) ORDER BY t, DESCRIPTOR(ts), gap => INTERVAL '3' MINUTES))"
    ).source
    assert isinstance(source, TableFunctionRef)
    assert isinstance(source.call, Call)
    table, descriptor, gap = source.call.args
    assert isinstance(table, QueryArgument)
    assert (len(table.partition_by), len(table.order_by)) == (2, 1)
    assert isinstance(descriptor, Call)
    assert descriptor.function == ("DESCRIPTOR",)
    assert isinstance(gap, NamedArgument)


def test_process_table_function_without_table() -> None:
    source = select("SELECT * FROM f(input => TABLE t PARTITION BY a, uid => 'x') AS p").source
    assert isinstance(source, TableFunctionRef)
    assert source.alias == "p"


def test_match_recognize() -> None:
    source = select(
        """SELECT * FROM t MATCH_RECOGNIZE (
             PARTITION BY s ORDER BY ts MEASURES FINAL LAST(A.p) AS x, B.p AS y ONE ROW PER MATCH AFTER MATCH SKIP TO FIRST B
             PATTERN (^ A B{2,3}? (C | D)* PERMUTE(E, F) {- G -} $) WITHIN INTERVAL '1' HOUR SUBSET U = (A, B)
             DEFINE A AS A.p > 1, B AS PREV(B.p) < 2) AS m"""
    ).source
    assert isinstance(source, MatchRecognizeRef)
    assert source.alias == "m"
    assert [(m.name, m.semantics) for m in source.measures] == [("x", "FINAL"), ("y", "")]
    assert (source.after_match, source.after_match_variable) == ("TO FIRST", "B")
    assert source.strict_start
    assert source.strict_end
    assert source.pattern is not None
    assert [item.kind for item in source.pattern.items] == ["VARIABLE", "VARIABLE", "ALTERNATE", "PERMUTE", "EXCLUDE"]
    assert source.pattern.items[1].quantifier is not None
    assert (source.pattern.items[1].quantifier.minimum, source.pattern.items[1].quantifier.maximum) == (2, 3)
    assert not source.pattern.items[1].quantifier.greedy
    assert [definition.variable for definition in source.definitions] == ["A", "B"]


# --- calls ------------------------------------------------------------------------------------------------------------------------


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


def test_star_takes_no_alias() -> None:
    with pytest.raises(ValidationException, match=r"\* takes no alias"):
        parse_statement("SELECT * t")
