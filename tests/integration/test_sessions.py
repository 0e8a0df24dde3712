"""Features of a session on every engine: time limits, cancellation, parameters, several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from table_api import JobCancelledException, JobTimeoutException, TableEnvironment

MakeEnv = Callable[[str], TableEnvironment]
ENGINES = ["arrow", "spark"]
DIGITS = "(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))"
NUMBERS = """CREATE TEMPORARY TABLE numbers (n BIGINT) WITH (
    'connector' = 'datagen', 'number-of-rows' = '1000000', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000')"""
LONG = (
    "SELECT COUNT(*) AS n FROM numbers CROSS JOIN "
    + " CROSS JOIN ".join(f"{DIGITS} AS t{i}(x{i})" for i in range(3))
    + " WHERE MOD(n, 10) + x0 + x1 + x2 = 17"
)
"""A query over 10^9 rows; Spark notices that it is cancelled with each row of ``numbers``."""


@pytest.mark.parametrize("planner", ENGINES)
def test_a_statement_ends_at_its_time_limit_and_the_session_remains_usable(make_env: MakeEnv, planner: str) -> None:
    env = make_env(planner)
    env.execute_sql(NUMBERS)
    env.get_config().set("table.exec.timeout", "2 s")
    with pytest.raises(JobTimeoutException, match=r"table\.exec\.timeout"):
        env.execute_sql(LONG).to_arrow()
    env.get_config().set("table.exec.timeout", "10 min")
    assert env.execute_sql("SELECT 1 AS a").to_arrow().to_pylist() == [{"a": 1}]


@pytest.mark.parametrize("planner", ENGINES)
def test_a_job_is_cancelled_from_another_thread(make_env: MakeEnv, planner: str) -> None:
    env = make_env(planner)
    env.execute_sql(NUMBERS)
    result = env.execute_sql(LONG)
    client = result.get_job_client()
    assert client is not None
    timer = threading.Timer(1.0, client.cancel)
    timer.start()
    with pytest.raises(JobCancelledException):
        result.to_arrow()
    timer.join()
    assert env.execute_sql("SELECT 1 AS a").to_arrow().to_pylist() == [{"a": 1}]


@pytest.mark.parametrize("planner", ENGINES)
def test_several_threads_share_a_session(make_env: MakeEnv, planner: str) -> None:
    env = make_env(planner)
    env.execute_sql(f"CREATE TEMPORARY VIEW digits AS SELECT * FROM {DIGITS} AS t(x)")

    def work(number: int) -> tuple[int, int]:
        env.execute_sql(f"CREATE TEMPORARY VIEW v{number} AS SELECT x * {number} AS y FROM digits")
        row = env.execute_sql(f"SELECT SUM(y) AS s FROM v{number}").to_arrow().to_pylist()[0]
        return number, row["s"]

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(work, range(8))) == [(number, 45 * number) for number in range(8)]
    assert len(env.list_views()) == 9


@pytest.mark.parametrize("planner", ENGINES)
def test_parameters_are_bound_as_values(make_env: MakeEnv, planner: str) -> None:
    env = make_env(planner)
    nasty = "x' OR '1'='1; DROP TABLE t -- {}"
    result = env.execute_sql("SELECT :p AS p, CHAR_LENGTH(:p) AS n, :k + 1 AS k", args={"p": nasty, "k": 41})
    assert result.to_arrow().to_pylist() == [{"p": nasty, "n": len(nasty), "k": 42}]
