"""Table references in FROM."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import (
    Call,
    NamedArgument,
    QueryArgument,
    Reference,
)
from table_api.sql.ast import (
    JoinKind,
    JoinRef,
    LateralRef,
    ParenthesizedRef,
    SampledRef,
    Select,
    TableFunctionRef,
    TableNameRef,
    UnnestRef,
)
from table_api.sql.parser import parse_statement


def select(text: str) -> Select:
    query = parse_statement(text)
    assert isinstance(query, Select)
    return query


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
