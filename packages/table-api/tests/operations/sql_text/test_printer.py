"""Queries printed as SQL: each text is read back to the same columns, and simple ones look as they would be written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException
from table_api.expressions import call, col, lit
from table_api.operations import QueryOperation
from table_api.operations.sql_text import query_text
from table_api.udf import udf

_TABLES = (
    "CREATE TABLE t (a INT, b STRING, c BIGINT, ts TIMESTAMP(3), xs ARRAY<INT>, r ROW<x INT, y STRING>, e AS a + 1) WITH ('connector' = 'x')",
    "CREATE TABLE u (a INT, b STRING, k BIGINT) WITH ('connector' = 'datagen')",
)

QUERIES = (
    "SELECT a, b FROM t",
    "SELECT * FROM t",
    "SELECT a + 1 AS x, UPPER(b) FROM t WHERE a > 0 AND c < 5 OR NOT b LIKE 'x%'",
    "SELECT 1 + 1",
    "SELECT DISTINCT b FROM t",
    "SELECT b, COUNT(*) AS n, SUM(DISTINCT c) FILTER (WHERE a > 1) FROM t GROUP BY b HAVING COUNT(*) > 1 ORDER BY n DESC NULLS LAST LIMIT 3",
    "SELECT a + 1, COUNT(*) FROM t GROUP BY a + 1",
    "SELECT a, GROUP_ID(), GROUPING_ID(a) FROM t GROUP BY GROUPING SETS ((a), (a), ())",
    "SELECT GROUP_ID(), MAX(a) FROM t GROUP BY GROUPING SETS ((), ())",
    "SELECT 2 FROM t GROUP BY ()",
    "SELECT COUNT(*) + 1 FROM t",
    "SELECT a, b, GROUPING_ID(a, b), SUM(c) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())",
    "SELECT LISTAGG(b, ';') FROM t",
    "SELECT x.a, y.b, x.r.y FROM t AS x LEFT JOIN u AS y ON x.a = y.a AND y.k > 1",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT t.a FROM t FULL JOIN u USING (a) CROSS JOIN u AS v",
    "SELECT a FROM t LEFT SEMI JOIN u ON t.a = u.a",
    "SELECT a FROM t UNION ALL (SELECT a FROM u ORDER BY a LIMIT 2) EXCEPT SELECT 1",
    "SELECT a FROM t INTERSECT SELECT a FROM u ORDER BY a OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY",
    "SELECT b FROM t ORDER BY c",
    "SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY a DESC) AS n, SUM(c) OVER (ORDER BY a ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t",
    "SELECT SUM(c) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW), LAG(a, 2) IGNORE NULLS OVER (ORDER BY a, c) FROM t",
    "SELECT * FROM (VALUES (1, 'a'), (2, CAST(NULL AS STRING))) AS v (n, s)",
    "SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE u.k = t.c) AND EXISTS (SELECT 1 FROM u WHERE u.a > t.a)",
    "SELECT a, (SELECT MAX(k) FROM u WHERE u.a = t.a) AS m FROM t WHERE c > ALL (SELECT k FROM u)",
    "SELECT a, x FROM t CROSS JOIN UNNEST(xs) AS e (x)",
    "SELECT a, x, n FROM t LEFT JOIN UNNEST(xs) WITH ORDINALITY AS e (x, n) ON TRUE",
    "SELECT t.a, s.k FROM t LEFT JOIN LATERAL (SELECT k FROM u WHERE u.a = t.a ORDER BY k LIMIT 1) AS s ON TRUE",
    "SELECT window_start, SUM(c) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' MINUTE)) GROUP BY window_start, window_end",
    "SELECT * FROM TABLE(SESSION(TABLE t PARTITION BY b, DESCRIPTOR(ts), INTERVAL '5' MINUTE))",
    """SELECT * FROM t MATCH_RECOGNIZE (
      PARTITION BY b ORDER BY ts MEASURES FIRST(x.a) AS f, LAST(y.a, 1) AS l, SUM(y.c) AS s
      AFTER MATCH SKIP TO LAST y PATTERN (x y{2,3}? z) WITHIN INTERVAL '1' HOUR DEFINE x AS x.a > 1, z AS z.a < x.a)""",
    "SELECT JSON_VALUE(b, '$.x' RETURNING INT NULL ON EMPTY), CASE WHEN a > 1 THEN 'x' ELSE b END, CAST(a AS STRING), xs[1], ROW(a, b), EXTRACT(YEAR FROM ts) FROM t",
    "SELECT TIMESTAMP '2020-01-01 00:00:00', INTERVAL '1' DAY, X'00FF', 1.5, 1E0, CAST(5 AS TINYINT), 'it''s' FROM t",
    "SELECT `select`, `a``b` FROM (SELECT a AS `select`, b AS `a``b` FROM t) AS `from`",
    "WITH q AS (SELECT a FROM t WHERE a > 1) SELECT x.a FROM q AS x JOIN q AS y ON x.a = y.a",
)


@pytest.fixture(scope="module")
def tables() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the tables t and u."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.get_config().set("table.exec.session-windows-in-batch", "true")
        for statement in _TABLES:
            environment.execute_sql(statement)
        yield environment


def _query(environment: TableEnvironment, sql: str) -> QueryOperation:
    return environment.session.convert_query(sql)


@pytest.mark.parametrize("sql", QUERIES)
def test_the_text_is_read_back_to_the_same_columns(tables: TableEnvironment, sql: str) -> None:
    query = _query(tables, sql)
    again = _query(tables, query_text(query))
    assert again.resolved_schema.column_names == query.resolved_schema.column_names
    pairs = zip(again.resolved_schema.column_types, query.resolved_schema.column_types, strict=True)
    assert all(mine.with_nullability(True) == theirs.with_nullability(True) for mine, theirs in pairs)


@pytest.mark.parametrize("sql", [sql for sql in QUERIES if "GROUPING_ID" not in sql])  # which is a formula of the id in the plan
def test_a_text_that_is_read_back_is_printed_as_itself(tables: TableEnvironment, sql: str) -> None:
    text = query_text(_query(tables, sql))
    assert query_text(_query(tables, text)) == text


def test_views_of_sql_are_shown_as_they_are_stored(tables: TableEnvironment) -> None:
    tables.execute_sql("CREATE VIEW v1 AS SELECT a, b AS x FROM t WHERE a > 0 AND c > 5")
    (row,) = tables.execute_sql("SHOW CREATE VIEW v1").collect()
    assert row[0] == (
        "CREATE VIEW `default_catalog`.`default_database`.`v1` (\n  `a`,\n  `x`\n)\n"
        "AS SELECT `t`.`a`, `t`.`b` AS `x`\nFROM `default_catalog`.`default_database`.`t` AS `t`\nWHERE `t`.`a` > 0 AND `t`.`c` > 5\n"
    )


def test_a_view_over_a_view_names_it(tables: TableEnvironment) -> None:
    tables.execute_sql("CREATE VIEW below AS SELECT a FROM t")
    tables.execute_sql("CREATE VIEW above AS SELECT * FROM below")
    (row,) = tables.execute_sql("SHOW CREATE VIEW above").collect()
    assert "FROM `default_catalog`.`default_database`.`below` AS `below`" in row[0]


def test_a_view_of_all_columns_keeps_those_that_were_there(tables: TableEnvironment) -> None:
    tables.execute_sql("CREATE TABLE wide (a INT) WITH ('connector' = 'datagen')")
    tables.execute_sql("CREATE VIEW all_of_it AS SELECT * FROM wide")
    tables.execute_sql("ALTER TABLE wide ADD b INT FIRST")
    assert tables.from_path("all_of_it").get_resolved_schema().column_names == ("a",)


def test_create_view_stores_the_table_as_sql(tables: TableEnvironment) -> None:
    table = tables.from_path("u").filter(col("a") > lit(3)).select(col("a"), col("b").upper_case.alias("name"))
    tables.create_view("of_table", table)
    (row,) = tables.execute_sql("SHOW CREATE VIEW of_table").collect()
    assert row[0].endswith(
        "AS SELECT `u`.`a`, UPPER(`u`.`b`) AS `name`\nFROM `default_catalog`.`default_database`.`u` AS `u`\nWHERE `u`.`a` > 3\n"
    )
    assert tables.from_path("of_table").get_resolved_schema() == table.get_resolved_schema()


def test_create_view_refuses_rows_of_the_program(tables: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="1 rows from Python values") as raised:
        tables.create_view("rows_of_python", tables.from_elements([(1, "a")], ["x", "y"]))
    assert "create_temporary_view" in str(raised.value)


def test_create_view_takes_values_that_are_expressions(tables: TableEnvironment) -> None:
    tables.create_view("of_values", tables.from_values((1, "a"), (2, "b")))
    assert tables.from_path("of_values").get_resolved_schema().column_names == ("f0", "f1")


def _double(value: int) -> int:
    return 2 * value


def test_create_view_refuses_a_function_that_is_not_registered(tables: TableEnvironment) -> None:
    function = udf(_double, result_type="BIGINT")
    with pytest.raises(ValidationException, match="is not registered"):
        tables.create_view("inline", tables.from_path("u").select(call(function, col("k"))))


def test_create_view_names_a_registered_function(tables: TableEnvironment) -> None:
    tables.create_temporary_function("default_catalog.default_database.doubled", udf(_double, result_type="BIGINT"))
    tables.create_view("with_function", tables.from_path("u").select(call("doubled", col("k")).alias("k")))
    (row,) = tables.execute_sql("SHOW CREATE VIEW with_function").collect()
    assert "SELECT `default_catalog`.`default_database`.`doubled`(`u`.`k`) AS `k`" in row[0]


def test_a_temporary_view_may_be_of_rows_of_the_program(tables: TableEnvironment) -> None:
    tables.create_temporary_view("in_memory", tables.from_elements([(1, "a")], ["x", "y"]))
    assert tables.from_path("in_memory").get_resolved_schema().column_names == ("x", "y")
    with pytest.raises(ValidationException, match="from Python values"):
        tables.execute_sql("SHOW CREATE VIEW in_memory")
