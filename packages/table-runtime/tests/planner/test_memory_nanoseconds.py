"""Rows of memory tables keep nanoseconds, without pandas too."""

from __future__ import annotations

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.connectors.memory import drop_memory_table

MOMENT = "2020-02-29 12:34:56.123456789"


def test_nanoseconds_are_kept_by_upserts_and_deletions() -> None:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as env:
        env.get_config().set("table.dml-sync", "true")
        env.execute_sql(
            "CREATE TABLE t (id INT, ts TIMESTAMP(9), a ARRAY<TIMESTAMP(9)>, r ROW<x TIMESTAMP(9)>, m MAP<STRING, TIMESTAMP(9)>, "
            "PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory', 'name' = 'nanoseconds')"
        )
        for number in (1, 1, 2):
            env.execute_sql(
                f"INSERT INTO t SELECT {number}, x, ARRAY[x], ROW(x), MAP['a', x] FROM (VALUES CAST('{MOMENT}' AS TIMESTAMP(9))) AS v(x)"
            )
        env.execute_sql("DELETE FROM t WHERE id = 2")
        columns = ", ".join(f"CAST({name} AS STRING)" for name in ("id", "ts", "a", "r", "m"))
        with env.execute_sql(f"SELECT {columns} FROM t").collect() as rows:
            assert [tuple(row) for row in rows] == [("1", MOMENT, f"[{MOMENT}]", f"({MOMENT})", f"{{a={MOMENT}}}")]
    drop_memory_table("nanoseconds")
