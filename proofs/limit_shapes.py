"""Statements that are long chains or deeply nested, or whose plans grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from limit_case import ERROR, RESULT, add, joined, read, sized

__all__: list[str] = []

# --- long chains -----------------------------------------------------------------------------------------------------------------------

sized("union_all_1000", joined(" UNION ALL ", "SELECT {0} AS a"), 1000, 1000, 2, RESULT, spark=20)
sized("union_1000", joined(" UNION ", "SELECT {0} AS a"), 1000, 1000, 3, RESULT, spark=25)
sized("union_400", joined(" UNION ", "SELECT {0} AS a"), 400, 400, 2, RESULT, spark=20)
sized("union_mixed_400", lambda n: joined(" UNION ALL ", "SELECT {0} AS a UNION SELECT 1 AS a")(n // 2), 400, 400, 5, spark=30)
sized("union_nested_right_300", lambda n: "SELECT 0 UNION ALL (" * n + "SELECT 1" + ")" * n, 300, 300, 5, spark=30)
sized("intersect_500", joined(" INTERSECT ", "SELECT 1 AS a"), 500, 500, 10, spark=40)
sized("except_500", joined(" EXCEPT ", "SELECT {0} AS a"), 500, 500, 10, spark=40)
sized("union_all_10000", joined(" UNION ALL ", "SELECT {0} AS a"), 10_000, 2_000, 15, spark=60)
sized(
    "joins_500",
    lambda n: "SELECT COUNT(*) FROM (VALUES 1) AS t0 (a)" + "".join(f" JOIN (VALUES 1) AS t{i} (a) ON t0.a = t{i}.a" for i in range(1, n)),
    500,
    500,
    20,
    spark=60,
)
sized(
    "joins_100",
    lambda n: "SELECT COUNT(*) FROM (VALUES 1) AS t0 (a)" + "".join(f" JOIN (VALUES 1) AS t{i} (a) ON t0.a = t{i}.a" for i in range(1, n)),
    100,
    100,
    10,
    RESULT,
    spark=60,
)
sized("cross_joins_200", lambda n: "SELECT COUNT(*) FROM " + ", ".join(f"(VALUES 1) AS t{i} (a)" for i in range(n)), 200, 200, 20, spark=60)
for _operator in ("+", "-", "*", "||", "AND", "OR"):
    _item = {"||": "'a'", "AND": "a > {0}", "OR": "a = {0}"}.get(_operator, "a")
    sized(
        f"chain_10000_{_operator}",
        lambda n, o=_operator, i=_item: f"SELECT {joined(f' {o} ', i)(n)} FROM (VALUES 1) AS t (a)",
        10_000,
        3_000,
        10,
        spark=30,
    )
sized(
    "case_1000_branches",
    lambda n: "SELECT CASE " + "".join(f"WHEN a = {i} THEN {i} " for i in range(n)) + "END FROM (VALUES 1) AS t (a)",
    1000,
    1000,
    5,
    spark=20,
)
sized(
    "columns_5000",
    lambda n: "SELECT " + ", ".join(f"a + {i} AS c{i}" for i in range(n)) + " FROM (VALUES 1) AS t (a)",
    5000,
    1000,
    10,
    spark=60,
)
sized(
    "ctes_500",
    lambda n: (
        "WITH c0 AS (SELECT 1 AS a)"
        + "".join(f", c{i} AS (SELECT a + 1 AS a FROM c{i - 1} WHERE a > 0)" for i in range(1, n))
        + f" SELECT * FROM c{n - 1}"
    ),
    500,
    500,
    10,
    spark=30,
)
sized(
    "subqueries_in_chain_200",
    lambda n: (
        "SELECT * FROM (VALUES 1) AS t (a) WHERE "
        + " AND ".join(f"EXISTS (SELECT 1 FROM (VALUES {i}) AS s (b) WHERE s.b >= t.a)" for i in range(1, n))
    ),
    200,
    60,
    20,
    spark=60,
)

# --- deep nesting ----------------------------------------------------------------------------------------------------------------------

for _depth in (100, 480, 5000):
    sized(f"array_nested_{_depth}", lambda n: "SELECT " + "ARRAY[" * n + "1" + "]" * n, _depth, _depth)
    sized(f"parentheses_nested_{_depth}", lambda n: "SELECT " + "(" * n + "1" + ")" * n, _depth, _depth)
    sized(
        f"plus_nested_{_depth}", lambda n: "SELECT " + "(a + " * n + "1" + ")" * n + " FROM (VALUES 1) AS t (a)", _depth, _depth, spark=30
    )
    sized(
        f"minus_nested_{_depth}", lambda n: "SELECT " + "(a - " * n + "1" + ")" * n + " FROM (VALUES 1) AS t (a)", _depth, _depth, spark=30
    )
    sized(
        f"upper_nested_{_depth}",
        lambda n: "SELECT " + "UPPER(" * n + "a" + ")" * n + " FROM (VALUES 'x') AS t (a)",
        _depth,
        _depth,
        spark=30,
    )
    sized(
        f"case_nested_{_depth}",
        lambda n: "SELECT " + "CASE WHEN a = 1 THEN 1 ELSE " * n + "0" + " END" * n + " FROM (VALUES 1) AS t (a)",
        _depth,
        _depth,
        spark=30,
    )
    sized(f"subqueries_nested_{_depth}", lambda n: "SELECT * FROM (" * n + "SELECT 1 AS a" + ")" * n, _depth, _depth, spark=40)
    sized(
        f"filters_nested_{_depth}",
        lambda n: "SELECT a + 1 AS a FROM (" * n + "SELECT 1 AS a" + ") WHERE a > 0" * n,
        _depth,
        _depth,
        spark=40,
    )
    sized(
        f"groups_nested_{_depth}",
        lambda n: "SELECT a, COUNT(*) AS c FROM (" * n + "SELECT 1 AS a" + ") GROUP BY a" * n,
        _depth,
        _depth,
        20,
        spark=60,
    )
    sized(f"in_nested_{_depth}", lambda n: "SELECT 1 WHERE 1 IN (" * n + "SELECT 1" + ")" * n, _depth, _depth, 20, spark=60)
    sized(f"type_nested_{_depth}", lambda n: "SELECT CAST(NULL AS " + "ARRAY<" * n + "INT" + ">" * n + ")", _depth, _depth)
    sized(f"not_{_depth}", lambda n: "SELECT " + "NOT " * n + "a FROM (VALUES TRUE) AS t (a)", _depth, _depth, spark=30)
    sized(f"minus_signs_{_depth}", lambda n: "SELECT " + "- " * n + "a FROM (VALUES 1) AS t (a)", _depth, _depth, spark=30)
    sized(
        f"explain_{_depth}",
        lambda n: "EXPLAIN SELECT a FROM (" * 1 + "SELECT a FROM (" * n + "SELECT 1 AS a" + ")" * n + ")",
        _depth,
        _depth,
        spark=30,
    )
    sized(
        f"join_parentheses_{_depth}",
        lambda n: "SELECT 1 FROM " + "(" * n + "(VALUES 1) AS t (a)" + "".join(f" CROSS JOIN (VALUES 1) AS s{i} (b))" for i in range(n)),
        _depth,
        _depth,
        20,
        spark=60,
    )
    sized(f"dots_{_depth}", lambda n: "SELECT a" + ".b" * n + " FROM (VALUES 1) AS t (a)", _depth, _depth)
    sized(f"indexes_{_depth}", lambda n: "SELECT a" + "[1]" * n + " FROM (VALUES ARRAY[1]) AS t (a)", _depth, _depth)
sized("json_10000", lambda n: f"SELECT JSON_VALUE('{'[' * n}{']' * n}', '$.a'), JSON_EXISTS('{'[' * n}{']' * n}', '$.a')", 10_000, 10_000)
sized("json_is_10000", lambda n: f"SELECT '{'[' * n}{']' * n}' IS JSON, PARSE_JSON('{'[' * n}1{']' * n}')", 10_000, 10_000)
sized("json_query_10000", lambda n: f"SELECT JSON_QUERY('{'[' * n}{']' * n}', '$'), JSON('{'[' * n}{']' * n}')", 10_000, 10_000)
sized("json_path_10000", lambda n: f"SELECT JSON_VALUE('1', '${'.a' * n}')", 10_000, 10_000)


def _views(environment: Any, is_short: bool) -> Callable[[], object]:
    environment.execute_sql("CREATE TEMPORARY VIEW deep_0 AS SELECT 1 AS a")

    def run() -> None:
        for number in range(1, 300):
            environment.execute_sql(f"CREATE TEMPORARY VIEW deep_{number} AS SELECT a + 1 AS a FROM deep_{number - 1}")
        read(environment, "SELECT * FROM deep_299")

    return run


add("views_on_views_300", _views, 30, spark=90)


# --- shared parts ----------------------------------------------------------------------------------------------------------------------


def _doubling(count: int) -> str:
    names = [f"c{i} AS (SELECT x.a FROM c{i - 1} AS x JOIN c{i - 1} AS y ON x.a = y.a)" for i in range(1, count + 1)]
    return "WITH c0 AS (SELECT 1 AS a), " + ", ".join(names) + f" SELECT a FROM c{count}"


def _doubling_in(count: int) -> str:
    names = [f"c{i} AS (SELECT a FROM c{i - 1} WHERE a IN (SELECT a FROM c{i - 1}))" for i in range(1, count + 1)]
    return "WITH c0 AS (SELECT 1 AS a), " + ", ".join(names) + f" SELECT a FROM c{count}"


def _view_of(query: str, name: str) -> Callable[[Any, bool], Callable[[], object]]:
    def prepare(environment: Any, is_short: bool) -> Callable[[], object]:
        def run() -> None:
            environment.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
            read(environment, f"SHOW CREATE VIEW {name}")
            read(environment, f"SELECT a FROM {name} WHERE a IN (SELECT a FROM {name}) AND a IN (SELECT a FROM {name})")

        return run

    return prepare


add("doubling_view_of_joins_30", _view_of(_doubling(30), "doubling_of_joins"), 5, RESULT, spark=60)
sized("doubling_in_25_explain", lambda n: "EXPLAIN " + _doubling_in(n), 25, 25, 3, RESULT, spark=10)
sized("doubling_ctes_30_explain", lambda n: "EXPLAIN " + _doubling(n), 30, 30, 1, spark=1)
sized("doubling_ctes_15", _doubling, 15, 15, 5, RESULT, spark=10)
sized("doubling_ctes_30", _doubling, 30, 20, 10, spark=30)
sized(
    "doubling_unions_12",
    lambda n: (
        "WITH c0 AS (SELECT 1 AS a), "
        + ", ".join(f"c{i} AS (SELECT a FROM c{i - 1} UNION SELECT a + 1 FROM c{i - 1})" for i in range(1, n + 1))
        + f" SELECT COUNT(*) FROM c{n}"
    ),
    20,
    20,
    5,
    spark=30,
)
sized(
    "doubling_expressions_40",
    lambda n: "SELECT a FROM " + "(SELECT a + a AS a FROM " * n + "(VALUES 0) AS t (a)" + ")" * n,
    40,
    40,
    5,
    spark=20,
)
sized(
    "doubling_scalar_40",
    lambda n: (
        "WITH c0 AS (SELECT 1 AS a), "
        + ", ".join(f"c{i} AS (SELECT (SELECT MAX(a) FROM c{i - 1}) + (SELECT MIN(a) FROM c{i - 1}) AS a)" for i in range(1, n + 1))
        + f" SELECT a FROM c{n}"
    ),
    15,
    15,
    10,
    spark=30,
)


def _doubling_views(environment: Any, is_short: bool) -> Callable[[], object]:
    environment.execute_sql("CREATE TEMPORARY VIEW double_0 AS SELECT 1 AS a")

    def run() -> None:
        for i in range(1, 31):
            environment.execute_sql(
                f"CREATE TEMPORARY VIEW double_{i} AS SELECT x.a FROM double_{i - 1} AS x JOIN double_{i - 1} AS y ON x.a = y.a"
            )
        environment.explain_sql("SELECT * FROM double_30")

    return run


add("doubling_views_30", _doubling_views, 5, spark=10)


def _cycle(environment: Any, is_short: bool) -> Callable[[], object]:
    for statement in ("CREATE VIEW cycle_a AS SELECT 1 AS a", "CREATE VIEW cycle_b AS SELECT a FROM cycle_a"):
        environment.execute_sql(statement)

    def run() -> None:
        try:
            environment.execute_sql("ALTER VIEW cycle_a AS SELECT a FROM cycle_b")
            read(environment, "SELECT * FROM cycle_a")
        finally:
            environment.execute_sql("DROP VIEW cycle_b")
            environment.execute_sql("DROP VIEW cycle_a")

    return run


add("view_cycle", _cycle, 5, ERROR)
