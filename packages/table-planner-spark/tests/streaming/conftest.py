"""Streaming environments over a watched folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_api import EnvironmentSettings, TableEnvironment


class Watched:
    """A watched folder, and an environment with its table ``t`` of two columns and a sink ``o``."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.folder = folder
        (folder / "in").mkdir()
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
        self.env = TableEnvironment.create(settings, external={"spark": spark})
        config = self.env.get_config()
        config.set("table.exec.sink.commit-interval", "10 ms").set("table.exec.spark.state-shares", "2").set("pipeline.name", "job")
        config.set("execution.checkpointing.dir", str(folder / "checkpoints")).set("restart-strategy.type", "none")
        options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / 'in'}', 'source.monitor-interval' = '20 ms'"
        self.env.execute_sql(f"CREATE TABLE t (k INT, v INT) WITH ({options})")
        self.env.execute_sql(
            f"CREATE TABLE o (op STRING, k INT, n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{folder / 'out'}')"
        )
        self.env.execute_sql("CREATE VIEW w AS SELECT k, COUNT(*) AS n FROM t GROUP BY k")
        self._files = 0

    def add(self, *rows: tuple[int, int]) -> None:
        """Adds a file of rows."""
        hidden = self.folder / "in" / f".{self._files}"
        hidden.write_text("".join(json.dumps({"k": k, "v": v}) + "\n" for k, v in rows))
        hidden.rename(self.folder / "in" / f"{self._files}.json")
        self._files += 1

    def start(self) -> Any:
        """Starts an INSERT of the changes of counts; returns its client."""
        return self.env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)").get_job_client()

    def written(self) -> list[str]:
        """Returns the lines that are visible in the sink."""
        files = (file for file in (self.folder / "out").glob("*") if file.is_file() and not file.name.startswith((".", "_")))
        return sorted(line for file in files for line in file.read_text().splitlines())

    def await_written(self, client: Any, lines: list[str]) -> None:
        """Waits until these lines are visible, and no others."""
        while (found := self.written()) != lines:
            assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
            assert set(found) <= set(lines)


@pytest.fixture
def watched(spark: SparkSession, tmp_path: Path) -> Iterator[Watched]:
    folder = Watched(spark, tmp_path)
    yield folder
    folder.env.close()
