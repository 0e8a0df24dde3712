"""Tables with WATERMARK in streaming mode: pushed-down computed columns in the process and in Spark's workers; the rows equal those of batch mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.connectors.memory import drop_memory_table

MakeEnv = Callable[[str], TableEnvironment]

COLUMNS = "id INT, s STRING, x TIMESTAMP_LTZ(3), ts AS TO_TIMESTAMP(s), y AS id + 1"
QUERIES = ("SELECT * FROM t", "SELECT y, ts FROM t WHERE ts > TIMESTAMP '2020-01-01 00:00:06'")
AGGREGATE = "SELECT ts, COUNT(*) FROM t GROUP BY ts"


@pytest.fixture(params=["arrow", "spark"])
def environments(request: pytest.FixtureRequest, make_env: MakeEnv) -> Iterator[tuple[TableEnvironment, TableEnvironment]]:
    """Yields an environment in batch mode with a table without watermark, and one in streaming mode with a watermark."""
    batch = make_env(request.param)
    external: dict[str, Any] = {"spark": request.getfixturevalue("spark")} if request.param == "spark" else {}
    streaming = TableEnvironment.create(
        EnvironmentSettings.new_instance().in_streaming_mode().with_planner(request.param).build(), external=external
    )
    streaming.get_config().set("table.local-time-zone", "UTC").set("table.dml-sync", "true")
    options = "WITH ('connector' = 'memory', 'name' = 'times', 'splits' = '2')"
    batch.execute_sql(f"CREATE TABLE t ({COLUMNS}) {options}")
    streaming.execute_sql(f"CREATE TABLE t ({COLUMNS}, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) {options}")
    batch.execute_sql(
        "INSERT INTO t VALUES (1, '2020-01-01 00:00:10', CAST(NULL AS TIMESTAMP_LTZ(3))), "
        "(2, '2020-01-01 00:00:05', TO_TIMESTAMP_LTZ(5, 3)), (3, '2020-01-01 00:00:01', TO_TIMESTAMP_LTZ(7, 3))"
    )
    yield batch, streaming
    streaming.close()
    drop_memory_table("times")


def test_rows_are_those_of_batch_mode(environments: tuple[TableEnvironment, TableEnvironment]) -> None:
    batch, streaming = environments
    for query in QUERIES:
        text = streaming.explain_sql(query)
        assert "computed=[ts], watermark=[(ts - INTERVAL '5' SECOND)]" in text
        assert "TO_TIMESTAMP" not in text.split("== Optimized Logical Plan ==")[1].split("== Physical")[0]
    for query in (*QUERIES, AGGREGATE):
        found, expected = (sorted(repr(list(row)) for row in env.execute_sql(query).collect()) for env in (streaming, batch))
        assert found == expected
