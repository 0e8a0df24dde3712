"""Sessions on the embedded engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
