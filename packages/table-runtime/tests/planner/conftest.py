"""Sessions on the embedded engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment


@pytest.fixture
def env() -> Iterator[Any]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment:
        environment.get_config().set("table.local-time-zone", "UTC")
        yield environment


@pytest.fixture
def query(env: Any) -> Any:
    """Runs a query and returns its rows as tuples."""
    return lambda sql: [tuple(row) for row in env.execute_sql(sql).collect()]


@pytest.fixture
def mixed_dictionaries(tmp_path: Path) -> Callable[[pa.Table], Path]:
    """Writes 3,000 rows to a folder of three Parquet files: with dictionaries, without, and with a dictionary of the column b alone."""

    def write(table: pa.Table) -> Path:
        path = tmp_path / "t"
        path.mkdir()
        pq.write_table(table.slice(0, 1000), path / "0.parquet", row_group_size=300)
        pq.write_table(table.slice(1000, 1000), path / "1.parquet", use_dictionary=False)
        pq.write_table(table.slice(2000, 1000), path / "2.parquet", use_dictionary=["b"], row_group_size=500)
        return path

    return write
