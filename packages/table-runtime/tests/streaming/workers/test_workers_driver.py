"""INSERTs whose inputs end, in workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worker_tables import with_tables


def test_inserts_whose_inputs_end_write_each_row_once(environments: Any, tables: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        env, out = with_tables(environments(workers), tables), tmp_path / str(workers)
        env.execute_sql(f"CREATE TABLE o (k INT, n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{out}')")
        env.execute_sql(f"CREATE TABLE m (k INT, v BIGINT) WITH ('connector' = 'memory', 'name' = 'workers {workers}')")
        statements = env.create_statement_set()
        statements.add_insert_sql("INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k")
        statements.add_insert_sql("INSERT INTO m SELECT a.k, b.v FROM t AS a JOIN u AS b ON a.k = b.k AND a.v = b.v")
        statements.execute().wait()
        env.get_config().set("execution.runtime-mode", "batch")
        found.append([sorted(map(str, env.execute_sql(f"SELECT * FROM {name}").to_arrow().to_pylist())) for name in "om"])
    assert all(found[0])
    assert found[0] == found[1]
