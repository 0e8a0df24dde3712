"""A streaming job on Spark: what it checks before it runs, and how it ends."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import udf
from table_common.exceptions import TableError, TableException, ValidationException


def test_a_limit_ends_the_job(watched: Any) -> None:
    watched.add((1, 1), (2, 2), (3, 3))
    result = watched.env.execute_sql("SELECT k FROM t LIMIT 2")
    with result.collect() as rows:
        assert len(list(rows)) == 2
    watched.env.execute_sql("CREATE TABLE l (k INT) WITH ('connector' = 'blackhole')")
    watched.env.execute_sql("INSERT INTO l SELECT k FROM t LIMIT 1").wait()


def test_a_failing_row_fails_the_job(watched: Any) -> None:
    watched.add((0, 1))
    with pytest.raises(TableError, match="zero"), watched.env.execute_sql("SELECT v / k AS q FROM t").collect() as rows:
        list(rows)


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [("state-shares", "65", "must be between 1 and 64"), ("max-rows-per-epoch", "0", "must be at least 1, but is 0")],
)
def test_an_option_with_a_wrong_number_is_refused_by_its_name(watched: Any, option: str, value: str, text: str) -> None:
    watched.env.get_config().set(f"table.exec.spark.{option}", value)
    with pytest.raises(ValidationException, match=f"'table.exec.spark.{option}' {text}"):
        watched.start()


def changes_of(env: Any, query: str) -> list[tuple[str, tuple[Any, ...]]]:
    with env.execute_sql(query).collect() as rows:
        return [(str(row.get_row_kind()), tuple(row)) for row in rows]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, SUM(v) FROM p GROUP BY k",
        "SELECT a.k, b.v FROM p AS a LEFT JOIN (VALUES (1, 7), (2, 8)) AS b(k, v) ON a.k = b.k",
        "SELECT k, COUNT(*) FROM f WHERE v > 1 GROUP BY k HAVING COUNT(*) > 1",
        "SELECT COUNT(*) FROM p WHERE v > 100",
    ],
)
def test_inputs_that_end_give_the_changes_that_the_embedded_engine_gives(watched: Any, query: str) -> None:
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
    with closing(TableEnvironment.create(settings)) as embedded:
        watched.env.get_config().set("table.exec.spark.state-shares", "1")
        found = []
        # On Spark a group changes once in an epoch.
        embedded.get_config().set("table.exec.mini-batch.enabled", "true").set("table.exec.mini-batch.size", "100")
        embedded.get_config().set("table.exec.mini-batch.allow-latency", "1 s")
        for env in (embedded, watched.env):
            env.create_temporary_view("p", env.from_elements([(1, 1), (2, 2), (1, 3)], ["k", "v"]))
            env.execute_sql(
                f"CREATE TABLE f (k BIGINT, v BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{watched.folder}/f')"
            )
            if env is embedded:
                env.execute_sql("INSERT INTO f SELECT * FROM p").wait()
            found.append(changes_of(env, query))
        assert sorted(found[0]) == sorted(found[1])


def test_an_insert_whose_inputs_end_commits_once_and_needs_no_folder(watched: Any) -> None:
    watched.env.get_config().set("execution.checkpointing.dir", "")
    watched.env.execute_sql(
        "CREATE TABLE m (k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'memory', 'name' = 'totals')"
    )
    result = watched.env.execute_sql("INSERT INTO m SELECT k, COUNT(*) FROM (VALUES (1), (2), (1)) AS x(k) GROUP BY k")
    assert not result.is_unbounded
    result.wait()
    watched.env.execute_sql("SET 'execution.runtime-mode' = 'batch'")
    assert sorted(row for _, row in changes_of(watched.env, "SELECT * FROM m")) == [(1, 2), (2, 1)]


def test_a_function_that_cannot_travel_is_named(watched: Any) -> None:
    lock = threading.Lock()

    def with_lock(value: int) -> int:
        with lock:
            return value

    watched.env.create_temporary_function("with_lock", udf(with_lock, result_type="INT"))
    with pytest.raises(TableException, match=r"with_lock.* cannot be sent to Spark's workers: cannot pickle"):
        watched.env.execute_sql("SELECT with_lock(v), COUNT(*) FROM t GROUP BY with_lock(v)")


def test_a_function_that_fails_for_a_row_is_named(watched: Any) -> None:
    def no_seven(value: int) -> int:
        if value == 7:
            raise ValueError("seven")
        return value

    watched.env.create_temporary_function("no_seven", udf(no_seven, result_type="INT"))
    watched.add((1, 1), (2, 7))
    with (
        pytest.raises(TableError, match="no_seven") as caught,
        watched.env.execute_sql("SELECT COUNT(no_seven(v)) FROM t").collect() as rows,
    ):
        list(rows)
    assert "seven" in str(caught.value)
    assert "java" not in str(caught.value)
