"""Deduplication with mini-batches."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment

COLUMNS = "k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"


@pytest.mark.parametrize("mini_batch", ["false", "true"])
def test_a_temporal_join_finds_all_versions_of_the_last_row_by_time(tmp_path: Path, mini_batch: str) -> None:
    (tmp_path / "rates.csv").write_text("a,1,2024-01-01 00:00:01\na,2,2024-01-01 00:00:03\na,3,2024-01-01 00:00:05\n")
    (tmp_path / "orders.csv").write_text("a,10,2024-01-01 00:00:02\na,20,2024-01-01 00:00:04\na,30,2024-01-01 00:00:06\n")
    with closing(TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())) as env:
        config = env.get_config().set("table.exec.mini-batch.enabled", mini_batch).set("table.exec.mini-batch.size", "100")
        config.set("table.exec.mini-batch.allow-latency", "1 s")
        for name in ("rates", "orders"):
            env.execute_sql(
                f"CREATE TABLE {name} ({COLUMNS}) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}/{name}.csv')"
            )
        env.execute_sql(
            "CREATE VIEW r AS SELECT k, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM rates) WHERE n = 1"
        )
        query = "SELECT o.v, r.v FROM orders AS o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k"
        with env.execute_sql(query).collect() as rows:
            assert sorted(map(tuple, rows)) == [(10, 1), (20, 2), (30, 3)]
