"""Environments on both engines; one Spark session serves all tests of a process."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

sys.path.insert(0, str(Path(__file__).parent))  # shared helpers


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the tests of a cluster last, because they stop the shared session; beside other workers they need a run of their own."""
    items.sort(key=lambda item: item.path.name == "test_spark_cluster.py")


@pytest.fixture(autouse=True)
def _log_levels() -> Iterator[None]:
    """Restores the levels of our loggers, which the client's main function sets for its process."""
    loggers = [logging.getLogger(name) for name in ("table.job", "table.statement")]
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    from table_planner_spark import local_session

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    options = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.sql.shuffle.partitions": "2"}
    session = local_session("local[2]", options)
    yield session
    session.stop()


@pytest.fixture
def make_env(request: pytest.FixtureRequest) -> Iterator[Callable[[str], TableEnvironment]]:
    """Returns a function that creates an environment in batch mode and UTC on the given engine."""
    made: list[TableEnvironment] = []

    def make(planner: str) -> TableEnvironment:
        settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()
        external = {"spark": request.getfixturevalue("spark")} if planner == "spark" else {}
        env = TableEnvironment.create(settings, external=external)
        env.get_config().set("table.local-time-zone", "UTC").set("table.dml-sync", "true")
        made.append(env)
        return env

    yield make
    for env in made:
        env.close()
