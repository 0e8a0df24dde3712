"""The abilities of sources and sinks, tested with the connector ``memory``, which has all of them, on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_api import TableEnvironment, TableException, ValidationException
from table_common.connector.source.abilities import RowLevelModificationType
from table_runtime.connectors.memory import drop_memory_table
from table_runtime.connectors.memory.sink import MemoryTableSink
from table_runtime.connectors.memory.source import MemorySnapshot

MakeEnv = Callable[[str], TableEnvironment]
Sql = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(params=["arrow", "spark"])
def sql(request: pytest.FixtureRequest, make_env: MakeEnv) -> Iterator[Sql]:
    """Runs a statement and returns its rows."""
    env = make_env(request.param)

    def run(statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in env.execute_sql(statement).collect()]

    run(
        "CREATE TABLE orders (id INT, kind STRING, v DOUBLE, r ROW<a INT, b ROW<c STRING>>, `year` INT) "
        "PARTITIONED BY (`year`) WITH ('connector' = 'memory', 'name' = 'orders', 'splits' = '2')"
    )
    run(
        "INSERT INTO orders VALUES (1, 'a', 1.5, ROW(10, ROW('x')), 2020), (2, 'b', 2.5, ROW(20, ROW('y')), 2020), "
        "(3, 'a', 3.5, CAST(NULL AS ROW<a INT, b ROW<c STRING>>), 2021), (4, 'b', CAST(NULL AS DOUBLE), ROW(40, ROW('z')), CAST(NULL AS INT))"
    )
    run(
        "CREATE TABLE people (id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory', 'name' = 'people')"
    )
    run("INSERT INTO people VALUES (1, 'Ada', 36), (2, 'Bob', 20), (3, 'Cy', 50)")
    yield run
    for name in ("orders", "people", "made"):
        drop_memory_table(name)


def plan(sql: Sql, query: str) -> str:
    text: str = sql(f"EXPLAIN {query}")[0][0]
    return text.split("== Optimized Logical Plan ==")[1].split("== Physical")[0]


QUERIES = {
    "partitions": ("SELECT id FROM orders WHERE `year` = 2020 ORDER BY id", [(1,), (2,)], "partitions=[year=2020]"),
    "no partition": ("SELECT id FROM orders WHERE `year` > 2021", [], "Values(rows=[0]"),
    "the partition of NULL": ("SELECT id FROM orders WHERE `year` IS NULL", [(4,)], "partitions=[year=NULL]"),
    "partitions and filters": ("SELECT id FROM orders WHERE `year` <= 2021 AND id > 1 ORDER BY id", [(2,), (3,)], "filters=[(id > 1)]"),
    "fields of rows": (
        "SELECT id, orders.r.b.c, orders.r.a + 1 FROM orders ORDER BY id",
        [(1, "x", 11), (2, "y", 21), (3, None, None), (4, "z", 41)],
        "nested=[r.a, r.b.c]",
    ),
    "a field in a filter": ("SELECT id FROM orders WHERE orders.r.a > 10 ORDER BY id", [(2,), (4,)], "nested=[r.a]"),
    "counts": ("SELECT COUNT(*), COUNT(v), SUM(id), MIN(v), MAX(v) FROM orders", [(4, 3, 10, 1.5, 3.5)], "aggregates=[COUNT(*)"),
    "groups": (
        "SELECT kind, COUNT(*), AVG(v), AVG(id), SUM(v) FROM orders GROUP BY kind ORDER BY kind",
        [("a", 2, 2.5, 2, 5.0), ("b", 2, 2.5, 3, 2.5)],
        "groupBy=[kind], aggregates=[COUNT(*), SUM(v), COUNT(v), SUM(id), COUNT(id)",
    ),
    "aggregates of no rows": ("SELECT COUNT(*), SUM(id), AVG(v) FROM orders WHERE id > 100", [(0, None, None)], "aggregates="),
    "aggregates of a partition": ("SELECT SUM(id) FROM orders WHERE `year` = 2020", [(3,)], "aggregates=[SUM(id)]"),
    "a limit": ("SELECT COUNT(*) FROM (SELECT id FROM orders LIMIT 2) AS q", [(2,)], "limit=[2]"),
}


@pytest.mark.parametrize("case", QUERIES)
def test_push_downs_do_not_change_the_rows(sql: Sql, case: str) -> None:
    query, expected, taken = QUERIES[case]
    assert taken in plan(sql, query)
    assert sql(query) == expected
    assert sql(query.replace("FROM orders", "FROM orders /*+ OPTIONS('push-down' = 'false') */", 1)) == expected


def test_deletion_by_conditions_is_pushed_into_the_sink(sql: Sql) -> None:
    assert (
        "Delete(table=[default_catalog.default_database.people], sink=[memory(people)], filters=[(age > 30)])"
        in sql("EXPLAIN DELETE FROM people WHERE age > 30")[0][0]
    )
    assert sql("DELETE FROM people AS p WHERE p.age > 30") == [(2,)]
    assert sql("SELECT id FROM people") == [(2,)]


def test_a_condition_that_is_never_true_deletes_nothing(sql: Sql) -> None:
    assert sql("DELETE FROM people WHERE 1 = 2") == [(0,)]
    assert len(sql("SELECT id FROM people")) == 3


@pytest.mark.parametrize("mode", ["CHANGED", "ALL"])
def test_deletion_with_a_subquery(sql: Sql, mode: str) -> None:
    sql(f"ALTER TABLE people SET ('row-level-mode' = '{mode}')")
    sql("DELETE FROM people WHERE id IN (SELECT id FROM orders WHERE kind = 'a') OR name IS NULL")
    assert sql("SELECT id FROM people") == [(2,)]


def test_deletion_of_all_rows(sql: Sql) -> None:
    assert sql("DELETE FROM people") == [(3,)]
    assert sql("SELECT id FROM people") == []


@pytest.mark.parametrize("mode", ["CHANGED", "ALL"])
def test_an_update_changes_the_rows_that_match(sql: Sql, mode: str) -> None:
    sql(f"ALTER TABLE people SET ('row-level-mode' = '{mode}')")
    sql("UPDATE people SET age = age + 1, name = UPPER(name) WHERE age < 40")
    assert sql("SELECT * FROM people ORDER BY id") == [(1, "ADA", 37), (2, "BOB", 21), (3, "Cy", 50)]


@pytest.mark.parametrize("mode", ["CHANGED", "ALL"])
def test_an_update_sets_null(sql: Sql, mode: str) -> None:
    sql(f"ALTER TABLE people SET ('row-level-mode' = '{mode}')")
    sql("UPDATE people AS p SET name = NULL, age = p.age * 2 WHERE p.id = 1")
    assert sql("SELECT name, age FROM people WHERE id = 1") == [(None, 72)]


def test_an_update_of_all_rows_by_a_query(sql: Sql) -> None:
    sql("UPDATE people SET age = (SELECT CAST(MAX(id) AS INT) FROM orders)")
    assert sql("SELECT DISTINCT age FROM people") == [(4,)]


def test_the_expressions_of_an_update_are_evaluated_only_for_matching_rows(sql: Sql) -> None:
    sql("ALTER TABLE people SET ('row-level-mode' = 'ALL')")
    sql("UPDATE people SET age = 100 / (age - 20) WHERE age <> 20")
    assert sql("SELECT age FROM people ORDER BY id") == [(6,), (20,), (3,)]


def test_truncate_leaves_an_empty_table(sql: Sql) -> None:
    assert sql("TRUNCATE TABLE people") == [("OK",)]
    assert sql("SELECT COUNT(*) FROM people") == [(0,)]


def test_an_insert_with_a_column_list_keeps_the_other_columns(sql: Sql) -> None:
    sql("INSERT INTO people (id, age) VALUES (1, 37), (9, 9)")
    assert sql("SELECT * FROM people WHERE id IN (1, 9) ORDER BY id") == [(1, "Ada", 37), (9, None, 9)]


def test_metadata_is_written_and_read(sql: Sql) -> None:
    sql(
        "CREATE TABLE made (label STRING METADATA, id INT, p BIGINT METADATA FROM 'priority', twice AS id * 2) "
        "WITH ('connector' = 'memory', 'name' = 'made')"
    )
    sql("INSERT INTO made VALUES ('one', 1, 7), ('two', 2, 8)")
    sql("INSERT INTO made (id) VALUES (3)")
    assert sql("SELECT * FROM made ORDER BY id") == [("one", 1, 7, 2), ("two", 2, 8, 4), (None, 3, None, 6)]


def test_overwriting_replaces_only_the_written_partitions(sql: Sql) -> None:
    sql("INSERT OVERWRITE orders PARTITION (`year` = 2020) SELECT 9, 'z', 0.0, CAST(NULL AS ROW<a INT, b ROW<c STRING>>)")
    assert sql("SELECT id, `year` FROM orders ORDER BY id") == [(3, 2021), (4, None), (9, 2020)]


@pytest.mark.parametrize("atomic", [False, True])
def test_create_table_as_creates_and_fills_a_table(sql: Sql, atomic: bool) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    sql("CREATE TABLE made WITH ('connector' = 'memory', 'name' = 'made') AS SELECT id, name FROM people WHERE age > 30")
    assert sql("SELECT * FROM made ORDER BY id") == [(1, "Ada"), (3, "Cy")]


@pytest.mark.parametrize("atomic", [False, True])
def test_replacing_a_table_by_a_query_over_itself(sql: Sql, atomic: bool) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    sql("CREATE OR REPLACE TABLE people WITH ('connector' = 'memory', 'name' = 'people') AS SELECT id * 10 AS id FROM people")
    assert sql("SELECT * FROM people ORDER BY id") == [(10,), (20,), (30,)]


@pytest.mark.parametrize("atomic", [False, True])
def test_a_failed_create_table_as_leaves_no_table(sql: Sql, atomic: bool) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    with pytest.raises(Exception, match=r"(?i)zero"):
        sql("CREATE TABLE made WITH ('connector' = 'memory', 'name' = 'made') AS SELECT 1 / (id - id) AS x FROM people")
    assert ("made",) not in sql("SHOW TABLES")


@pytest.mark.parametrize("atomic", [False, True])
def test_a_failed_replace_table_as_keeps_the_old_rows(sql: Sql, atomic: bool) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    with pytest.raises(Exception, match=r"(?i)zero"):
        sql("REPLACE TABLE people WITH ('connector' = 'memory', 'name' = 'people') AS SELECT 1 / (id - id) AS x FROM people")
    assert sql("SELECT COUNT(name) FROM people") == [(3,)]


def test_buckets_are_validated(sql: Sql) -> None:
    sql("CREATE TABLE made (id INT) DISTRIBUTED BY RANGE (id) INTO 3 BUCKETS WITH ('connector' = 'memory')")
    with pytest.raises(ValidationException, match=r"Distribution 'RANGE' does not exist .*HASH"):
        sql("INSERT INTO made VALUES (1)")


def test_a_bucketed_table_is_written_and_read(sql: Sql) -> None:
    sql("CREATE TABLE made (id INT, name STRING) DISTRIBUTED BY HASH (id) INTO 3 BUCKETS WITH ('connector' = 'memory', 'name' = 'made')")
    sql("INSERT INTO made SELECT id, name FROM people")
    assert sql("SELECT * FROM made ORDER BY id") == [(1, "Ada"), (2, "Bob"), (3, "Cy")]


@pytest.mark.parametrize("mode", ["CHANGED", "ALL"])
@pytest.mark.parametrize(
    ("statement", "modification"),
    [
        ("DELETE FROM people WHERE id IN (SELECT id FROM people WHERE age > 40)", "DELETE"),
        ("UPDATE people SET age = age + 1 WHERE id = 2", "UPDATE"),
    ],
)
def test_the_sink_receives_the_modification_context_of_the_source(
    sql: Sql, statement: str, modification: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    for name in ("apply_row_level_delete", "apply_row_level_update"):
        original = getattr(MemoryTableSink, name)

        def kept(self: MemoryTableSink, *args: object, original: Any = original) -> Any:
            told.append(args[-1])
            return original(self, *args)

        monkeypatch.setattr(MemoryTableSink, name, kept)
    sql(f"ALTER TABLE people SET ('row-level-mode' = '{mode}')")
    sql(statement)
    assert set(told) == {MemorySnapshot(3, RowLevelModificationType[modification])}


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DELETE FROM hole WHERE id = 1", "DELETE is not supported by the connector 'blackhole'"),
        ("UPDATE hole SET id = 1", "UPDATE is not supported by the connector 'blackhole'"),
        ("TRUNCATE TABLE hole", "TRUNCATE TABLE is not supported by the connector 'blackhole'"),
        ("INSERT OVERWRITE hole VALUES (1)", "INSERT OVERWRITE is not supported by the connector 'blackhole'"),
    ],
)
def test_a_missing_ability_is_an_error_that_names_connectors_with_it(sql: Sql, statement: str, message: str) -> None:
    sql("CREATE TABLE hole (id INT) WITH ('connector' = 'blackhole')")
    with pytest.raises((ValidationException, TableException), match=message) as caught:
        sql(statement)
    assert "'memory'" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE people SET agee = 1", "Did you mean 'age'"),
        ("UPDATE people SET age = 1, age = 2", "sets column 'age' twice"),
        ("UPDATE people SET age = 'x' || name", "cannot be cast implicitly"),
        ("DELETE FROM nobody", "nobody"),
        ("DELETE FROM seen", "seen.* is a view"),
        ("TRUNCATE TABLE seen", "seen.* is a view"),
    ],
)
def test_invalid_statements_are_errors_with_the_reason(sql: Sql, statement: str, message: str) -> None:
    sql("CREATE TEMPORARY VIEW seen AS SELECT * FROM people")
    with pytest.raises(Exception, match=message):
        sql(statement)
