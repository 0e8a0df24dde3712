"""Materialized tables on both engines: refreshes of tables and partitions, kills, other processes, and errors."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException, ValidationException

MakeEnv = Callable[..., TableEnvironment]

CREATE_FULL = """
CREATE MATERIALIZED TABLE full_users_shops
PARTITIONED BY (ds)
WITH (
  'format' = 'json',
  'partition.fields.ds.date-formatter' = 'yyyy-MM-dd'
)
FRESHNESS = INTERVAL '1' MINUTE
REFRESH_MODE = FULL
AS SELECT
  user_id,
  ds,
  SUM (payment_amount_cents) AS payed_buy_fee_sum,
  SUM (1) AS PV
FROM (
  SELECT user_id, order_created_at AS ds, payment_amount_cents
  FROM json_source
) AS tmp
GROUP BY user_id, ds"""


def catalog(env: TableEnvironment, folder: Path) -> None:
    env.execute_sql(
        f"CREATE CATALOG mt WITH ('type' = 'sqlite', 'path' = '{folder}/c.db', 'warehouse' = '{folder}/w', 'default-database' = 'mydb')"
    )
    env.execute_sql("USE CATALOG mt")


def source(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TABLE json_source (order_id BIGINT, user_id BIGINT, user_name STRING, order_created_at STRING, payment_amount_cents BIGINT)"
        " WITH ('format' = 'json', 'source.monitor-interval' = '10s')"
    )
    env.execute_sql(
        "INSERT INTO json_source VALUES (1001, 1, 'user1', '2024-06-19', 10), (1002, 2, 'user2', '2024-06-19', 20),"
        " (1005, 1, 'user1', '2024-06-20', 10)"
    ).wait()


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return sorted((tuple(row) for row in found), key=str)


def run(env: TableEnvironment, sql: str) -> None:
    env.execute_sql(sql).wait()


@pytest.fixture
def new_env(request: pytest.FixtureRequest) -> Iterator[MakeEnv]:
    made: list[TableEnvironment] = []

    def make(planner: str, mode: str = "batch") -> TableEnvironment:
        settings = EnvironmentSettings.new_instance().with_planner(planner)
        settings = settings.in_streaming_mode() if mode == "streaming" else settings.in_batch_mode()
        external = {"spark": request.getfixturevalue("spark")} if planner == "spark" else {}
        made.append(TableEnvironment.create(settings.build(), external=external))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.fixture(params=["arrow-batch", "arrow-streaming", "spark-batch", "spark-streaming"])
def env(request: pytest.FixtureRequest, new_env: MakeEnv, tmp_path: Path) -> TableEnvironment:
    made = new_env(*request.param.split("-"))
    catalog(made, tmp_path)
    return made


def final_rows(env: TableEnvironment, name: str) -> list[tuple[Any, ...]]:
    env.get_config().set("execution.runtime-mode", "batch")
    return rows(env, f"SELECT * FROM {name}")


def test_a_refresh_replaces_rows_and_partitions(env: TableEnvironment) -> None:
    source(env)
    run(env, CREATE_FULL)
    run(env, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    run(env, "INSERT INTO json_source VALUES (1006, 2, 'user2', '2024-06-20', 20), (1007, 3, 'user3', '2024-06-19', 7)")
    run(env, "ALTER MATERIALIZED TABLE full_users_shops REFRESH PARTITION (ds = '2024-06-20')")
    mode = env.get_config().get("execution.runtime-mode", "batch")
    assert final_rows(env, "full_users_shops") == [
        (1, "2024-06-19", 10, 1),
        (1, "2024-06-20", 10, 1),
        (2, "2024-06-19", 20, 1),
        (2, "2024-06-20", 20, 1),
    ]
    env.get_config().set("execution.runtime-mode", mode)
    run(env, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    assert (3, "2024-06-19", 7, 1) in final_rows(env, "full_users_shops")


def test_partitions_whose_rows_are_gone_are_emptied(env: TableEnvironment) -> None:
    source(env)
    run(env, CREATE_FULL)
    run(env, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    env.get_config().set("execution.runtime-mode", "batch")
    run(env, "TRUNCATE TABLE json_source")
    run(env, "ALTER MATERIALIZED TABLE full_users_shops REFRESH PARTITION (ds = '2024-06-20')")
    assert rows(env, "SELECT DISTINCT ds FROM full_users_shops") == [("2024-06-19",)]
    run(env, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    assert rows(env, "SELECT * FROM full_users_shops") == []


def test_partitions_of_other_types_and_null(env: TableEnvironment) -> None:
    run(env, "CREATE TABLE s (a INT, d DATE, n INT) WITH ('format' = 'json')")
    run(env, "INSERT INTO s VALUES (1, DATE '2024-01-01', 5), (2, DATE '2024-01-02', CAST(NULL AS INT))")
    run(env, "CREATE MATERIALIZED TABLE m PARTITIONED BY (d, n) REFRESH_MODE = FULL AS SELECT * FROM s")
    run(env, "ALTER MATERIALIZED TABLE m REFRESH")
    run(env, "INSERT INTO s VALUES (3, DATE '2024-01-01', 5), (4, DATE '2024-01-02', CAST(NULL AS INT))")
    run(env, "ALTER MATERIALIZED TABLE m REFRESH PARTITION (d = DATE '2024-01-01')")
    assert [row[0] for row in final_rows(env, "m")] == [1, 2, 3]


def test_columns_that_a_query_adds_are_null_until_a_refresh(env: TableEnvironment) -> None:
    source(env)
    run(env, "CREATE MATERIALIZED TABLE m REFRESH_MODE = FULL AS SELECT user_id, COUNT(*) AS n FROM json_source GROUP BY user_id")
    run(env, "ALTER MATERIALIZED TABLE m REFRESH")
    run(
        env,
        "CREATE OR ALTER MATERIALIZED TABLE m REFRESH_MODE = FULL AS"
        " SELECT user_id, COUNT(*) AS n, SUM(payment_amount_cents) AS s FROM json_source GROUP BY user_id",
    )
    mode = env.get_config().get("execution.runtime-mode", "batch")
    assert final_rows(env, "m") == [(1, 2, None), (2, 1, None)]
    env.get_config().set("execution.runtime-mode", mode)
    run(env, "ALTER MATERIALIZED TABLE m REFRESH")
    assert final_rows(env, "m") == [(1, 2, 20), (2, 1, 20)]


CREATE_CONTINUOUS = """
CREATE MATERIALIZED TABLE shops PARTITIONED BY (ds) FRESHNESS = INTERVAL '1' SECOND
AS SELECT user_id, order_created_at AS ds, SUM(payment_amount_cents) AS s FROM json_source GROUP BY user_id, order_created_at"""


def continuous_source(env: TableEnvironment, folder: Path) -> None:
    env.execute_sql(
        "CREATE TABLE json_source (user_id BIGINT, order_created_at STRING, payment_amount_cents BIGINT)"
        " WITH ('format' = 'json', 'source.monitor-interval' = '1s')"
    )
    run(env, "INSERT INTO json_source VALUES (1, 'a', 10), (2, 'a', 20), (1, 'b', 5)")
    env.get_config().set("execution.checkpointing.dir", str(folder / "checkpoints"))


def await_rows(env: TableEnvironment, name: str, expected: list[tuple[Any, ...]]) -> None:
    mode = env.get_config().get("execution.runtime-mode", "batch")
    deadline = time.monotonic() + 60
    while (found := final_rows(env, name)) != expected and time.monotonic() < deadline:
        time.sleep(0.2)
    env.get_config().set("execution.runtime-mode", mode)
    assert found == expected


@pytest.mark.sampled(1)
def test_a_job_keeps_a_table_fresh(env: TableEnvironment, tmp_path: Path) -> None:
    continuous_source(env, tmp_path)
    run(env, CREATE_CONTINUOUS)
    await_rows(env, "shops", [(1, "a", 10), (1, "b", 5), (2, "a", 20)])
    run(env, "ALTER MATERIALIZED TABLE shops SUSPEND")
    run(env, "INSERT INTO json_source VALUES (1, 'a', 1)")
    assert final_rows(env, "shops") == [(1, "a", 10), (1, "b", 5), (2, "a", 20)]
    run(env, "ALTER MATERIALIZED TABLE shops RESUME")
    await_rows(env, "shops", [(1, "a", 11), (1, "b", 5), (2, "a", 20)])
    run(
        env,
        "ALTER MATERIALIZED TABLE shops AS SELECT user_id, order_created_at AS ds, SUM(payment_amount_cents) AS s, COUNT(*) AS n"
        " FROM json_source GROUP BY user_id, order_created_at",
    )
    await_rows(env, "shops", [(1, "a", 11, 2), (1, "b", 5, 1), (2, "a", 20, 1)])
    run(env, "DROP MATERIALIZED TABLE shops")


# --- the embedded engine alone: nothing below depends on the engine ----------------------------------------------------------------


@pytest.fixture
def arrow(new_env: MakeEnv, tmp_path: Path) -> TableEnvironment:
    made = new_env("arrow")
    catalog(made, tmp_path)
    return made


def test_another_process_refreshes_the_table(arrow: TableEnvironment, new_env: MakeEnv, tmp_path: Path) -> None:
    source(arrow)
    run(arrow, CREATE_FULL)
    other = new_env("arrow")
    catalog(other, tmp_path)
    run(other, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    assert len(rows(arrow, "SELECT * FROM full_users_shops")) == 3
    assert rows(arrow, "SHOW MATERIALIZED TABLES")[0][4] is not None


def test_what_show_create_prints_creates_the_table(arrow: TableEnvironment) -> None:
    source(arrow)
    run(arrow, CREATE_FULL)
    ((text,),) = rows(arrow, "SHOW CREATE MATERIALIZED TABLE full_users_shops")
    run(arrow, "DROP MATERIALIZED TABLE full_users_shops")
    run(arrow, text)
    assert rows(arrow, "SHOW CREATE MATERIALIZED TABLE full_users_shops") == [(text,)]


def test_drop_deletes_the_rows_of_the_warehouse(arrow: TableEnvironment, tmp_path: Path) -> None:
    source(arrow)
    run(arrow, CREATE_FULL)
    run(arrow, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    run(arrow, "DROP MATERIALIZED TABLE full_users_shops")
    assert not (tmp_path / "w/mydb/full_users_shops").exists()
    run(arrow, CREATE_FULL)
    assert rows(arrow, "SELECT * FROM full_users_shops") == []


def test_tables_of_the_warehouse_are_made_of_queries_and_replaced(arrow: TableEnvironment) -> None:
    source(arrow)
    run(arrow, "CREATE TABLE k WITH ('format' = 'json') AS SELECT user_id FROM json_source")
    run(arrow, "CREATE OR REPLACE TABLE k WITH ('format' = 'json') AS SELECT user_id + 10 AS user_id FROM json_source")
    assert rows(arrow, "SELECT * FROM k") == [(11,), (11,), (12,)]


def test_a_stale_table_is_shown(arrow: TableEnvironment) -> None:
    source(arrow)
    run(arrow, CREATE_FULL.replace("'1' MINUTE", "'1' SECOND"))
    run(arrow, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    time.sleep(1.2)
    assert rows(arrow, "SHOW MATERIALIZED TABLES")[0][5] is True
    run(arrow, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    assert rows(arrow, "SHOW MATERIALIZED TABLES")[0][5] is False


def test_a_dropped_source_is_named_and_the_rows_stay(arrow: TableEnvironment) -> None:
    source(arrow)
    run(arrow, CREATE_FULL)
    run(arrow, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    run(arrow, "DROP TABLE json_source")
    with pytest.raises(ValidationException, match=r"`full_users_shops` cannot be refreshed: .*'json_source' does not exist"):
        run(arrow, "ALTER MATERIALIZED TABLE full_users_shops REFRESH")
    assert len(rows(arrow, "SELECT * FROM full_users_shops")) == 3


def test_a_wrong_option_is_found_by_create(arrow: TableEnvironment) -> None:
    source(arrow)
    with pytest.raises(ValidationException, match="nothing_like_it"):
        run(arrow, "CREATE MATERIALIZED TABLE m WITH ('nothing_like_it' = 'x') REFRESH_MODE = FULL AS SELECT * FROM json_source")
    with pytest.raises(ValidationException, match="cannot be refreshed in full: the connector 'print'"):
        run(arrow, "CREATE MATERIALIZED TABLE m WITH ('connector' = 'print') REFRESH_MODE = FULL AS SELECT * FROM json_source")
    assert rows(arrow, "SHOW MATERIALIZED TABLES") == []


_REFRESHING = """
import sys
from table_api import EnvironmentSettings, TableEnvironment
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
env.execute_sql(f"CREATE CATALOG mt WITH ('type' = 'sqlite', 'path' = '{sys.argv[1]}/c.db', 'warehouse' = '{sys.argv[1]}/w', 'default-database' = 'mydb')")
env.execute_sql("USE CATALOG mt")
print("ready", flush=True)
while True:
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH PARTITION (k = '1')").wait()
"""


def test_a_killed_refresh_leaves_all_rows_once(arrow: TableEnvironment, tmp_path: Path) -> None:
    run(arrow, "CREATE TABLE s (a INT, k STRING) WITH ('format' = 'json')")
    run(arrow, "INSERT INTO s SELECT 1, CAST(n AS STRING) FROM (VALUES (1), (2), (3)) AS v (n)")
    run(arrow, "CREATE MATERIALIZED TABLE m PARTITIONED BY (k) REFRESH_MODE = FULL AS SELECT COUNT(*) AS n, k FROM s GROUP BY k")
    run(arrow, "ALTER MATERIALIZED TABLE m REFRESH")
    expected = rows(arrow, "SELECT * FROM m")
    program = tmp_path / "refreshing.py"
    program.write_text(_REFRESHING)
    for _ in range(6):
        with subprocess.Popen([sys.executable, str(program), str(tmp_path)], stdout=subprocess.PIPE, env=dict(os.environ)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(random.uniform(0.0, 0.4))
            process.kill()
        assert rows(arrow, "SELECT * FROM m") == expected
    run(arrow, "ALTER MATERIALIZED TABLE m REFRESH")
    assert rows(arrow, "SELECT * FROM m") == expected


# --- continuous refreshes ----------------------------------------------------------------------------------------------------------


def test_queries_that_no_job_can_keep_fresh_are_refused(arrow: TableEnvironment, tmp_path: Path) -> None:
    run(arrow, "CREATE TABLE ends (a INT) WITH ('format' = 'json')")
    with pytest.raises(ValidationException, match=r"`m` keeps its state in checkpoints, but 'execution.checkpointing.dir' is not set"):
        run(arrow, "CREATE MATERIALIZED TABLE m AS SELECT a FROM ends")
    continuous_source(arrow, tmp_path)
    with pytest.raises(ValidationException, match="`m` ends, because its sources do"):
        run(arrow, "CREATE MATERIALIZED TABLE m AS SELECT a FROM ends")
    with pytest.raises(ValidationException, match="`m` changes rows, and calls a function that is not deterministic"):
        run(arrow, "CREATE MATERIALIZED TABLE m AS SELECT user_id, MAX(RAND()) AS r FROM json_source GROUP BY user_id")
    assert rows(arrow, "SHOW MATERIALIZED TABLES") == []


def test_insertions_are_written_as_json(arrow: TableEnvironment, tmp_path: Path) -> None:
    continuous_source(arrow, tmp_path)
    run(arrow, "CREATE MATERIALIZED TABLE m FRESHNESS = INTERVAL '1' SECOND AS SELECT user_id FROM json_source")
    ((text,),) = rows(arrow, "SHOW CREATE MATERIALIZED TABLE m")
    assert "'format' = 'json'" in text
    run(arrow, CREATE_CONTINUOUS)
    ((text,),) = rows(arrow, "SHOW CREATE MATERIALIZED TABLE shops")
    assert "'format' = 'debezium-json'" in text


def test_a_job_that_runs_is_neither_refreshed_nor_started_twice(arrow: TableEnvironment, new_env: MakeEnv, tmp_path: Path) -> None:
    continuous_source(arrow, tmp_path)
    run(arrow, CREATE_CONTINUOUS)
    await_rows(arrow, "shops", [(1, "a", 10), (1, "b", 5), (2, "a", 20)])
    assert rows(arrow, "SHOW MATERIALIZED TABLES")[0][5] is False
    with pytest.raises(ValidationException, match="`shops` is refreshed continuously"):
        run(arrow, "ALTER MATERIALIZED TABLE shops REFRESH")
    with pytest.raises(ValidationException, match="`shops` is not suspended: its job runs"):
        run(arrow, "ALTER MATERIALIZED TABLE shops RESUME")
    other = new_env("arrow")
    catalog(other, tmp_path)
    for statement in ("ALTER MATERIALIZED TABLE shops SUSPEND", "DROP MATERIALIZED TABLE shops"):
        with pytest.raises(TableException, match="`shops` is not a job of this session"):
            run(other, statement)
    run(arrow, "ALTER MATERIALIZED TABLE shops SUSPEND")
    assert rows(other, "SHOW MATERIALIZED TABLES")[0][2::3] == ("SUSPENDED", True)


_RUNNING = """
import sys, time
from table_api import EnvironmentSettings, TableEnvironment
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
env.execute_sql(f"CREATE CATALOG mt WITH ('type' = 'sqlite', 'path' = '{sys.argv[1]}/c.db', 'warehouse' = '{sys.argv[1]}/w', 'default-database' = 'mydb')")
env.execute_sql("USE CATALOG mt")
print("ready", flush=True)
env.execute_sql("ALTER MATERIALIZED TABLE shops RESUME")
time.sleep(60)
"""


def test_a_killed_job_is_resumed_and_counts_each_row_once(arrow: TableEnvironment, tmp_path: Path) -> None:
    continuous_source(arrow, tmp_path)
    run(arrow, CREATE_CONTINUOUS)
    run(arrow, "ALTER MATERIALIZED TABLE shops SUSPEND")
    program = tmp_path / "running.py"
    program.write_text(_RUNNING)
    for number in range(5):
        with subprocess.Popen([sys.executable, str(program), str(tmp_path)], stdout=subprocess.PIPE, env=dict(os.environ)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            run(arrow, f"INSERT INTO json_source VALUES (1, 'a', {10**number})")
            time.sleep(random.uniform(0.3, 2.5))
            process.kill()
    run(arrow, "ALTER MATERIALIZED TABLE shops RESUME")
    await_rows(arrow, "shops", [(1, "a", 11121), (1, "b", 5), (2, "a", 20)])
