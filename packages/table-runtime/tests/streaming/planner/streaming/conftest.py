"""Streaming environments on the embedded engine with tables in event time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

Changes = Callable[[str], list[str]]


@pytest.fixture
def timed_env(tmp_path: Path) -> Iterator[Callable[..., TableEnvironment]]:
    """Makes an environment with a table ``t`` (k, s, v, ts), whose rows are (k, seconds, v); the watermark is ``delay`` seconds behind."""
    environments: list[TableEnvironment] = []

    def make(rows: Sequence[tuple[Any, int, Any]], *, delay: int = 5, time_type: str = "TIMESTAMP(3)", name: str = "t") -> TableEnvironment:
        zone = "Z" if "LTZ" in time_type else ""
        lines = [
            ",".join("" if value is None else str(value) for value in (k, f"2024-01-01 00:{s // 60:02d}:{s % 60:02d}{zone}", v))
            for k, s, v in rows
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
        if not environments:
            settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
            environments.append(TableEnvironment.create(settings))
            environments[0].get_config().set("table.local-time-zone", "UTC")
        environments[0].execute_sql(
            f"CREATE TABLE {name} (k STRING, ts {time_type}, v INT, WATERMARK FOR ts AS ts - INTERVAL '{delay}' SECOND) WITH ('connector' = 'filesystem', "
            f"'path' = '{tmp_path / name}.csv', 'format' = 'csv', 'csv.null-literal' = '')"
        )
        return environments[0]

    yield make
    for env in environments:
        env.close()


@pytest.fixture
def changes() -> Callable[[TableEnvironment, str], list[str]]:
    """Returns the changes of a query in order."""

    def run(env: TableEnvironment, sql: str) -> list[str]:
        with env.execute_sql(sql).collect() as rows:
            return [f"{row.get_row_kind()}{list(row)}" for row in rows]

    return run
