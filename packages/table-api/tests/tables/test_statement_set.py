"""Statement sets: one job for several insertions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api import (
    TableEnvironment,
    ValidationException,
)
from table_api.expressions import col
from table_api.plan import optimizer
from table_api.plan.programs import BATCH
from table_common.frozen_dataclass import replace

if TYPE_CHECKING:
    from conftest import FakePlanner


@pytest.fixture(autouse=True)
def _sinks_without_a_connector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer, "BATCH", replace(BATCH, sink=lambda operation, context: operation))


@pytest.fixture
def sink(env: TableEnvironment) -> str:
    env.execute_sql("CREATE TABLE sink (n INT, s STRING) WITH ('connector' = 'none')")
    return "sink"


def test_statement_set_is_one_job(env: TableEnvironment, planner: FakePlanner, sink: str) -> None:
    statements = env.create_statement_set()
    statements.add_insert_sql(f"INSERT INTO {sink} SELECT a, b FROM t").add_insert(sink, env.from_path("t").filter(col("a") > 1))
    statements.add(env.from_path("t").insert_into(sink))
    result = statements.execute()
    result.wait()
    assert [len(operations) for operations in planner.translated] == [3]
    assert result.get_resolved_schema().column_names == tuple(
        f"default_catalog.default_database.sink{suffix}" for suffix in ("", "_1", "_2")
    )


def test_statement_set_accepts_only_inserts(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="accepts only INSERT statements"):
        env.create_statement_set().add_insert_sql("SELECT a FROM t")


def test_empty_statement_set_does_not_run(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="is empty"):
        env.create_statement_set().execute()
