"""One Spark for all tests, and environments on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session
from table_planner_spark.spark_internals import SPARK_VERSION


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_time: needs a Spark with the type TIME, which 4.0 lacks")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("needs_time") is not None and SPARK_VERSION < (4, 1):
        pytest.skip("Spark 4.0 has no type TIME")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session of the program's own, in another time zone and with other options than ours."""
    session = local_session(
        "local[2]",
        {
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.ansi.enabled": "false",
            "spark.sql.session.timeZone": "Asia/Tokyo",
            "spark.sql.shuffle.partitions": "2",
        },
    )
    yield session
    session.stop()


@pytest.fixture
def env(spark: SparkSession) -> Iterator[SparkTableEnvironment]:
    """An environment in UTC that waits for its inserts."""
    options = Configuration({"table.local-time-zone": "UTC", "table.dml-sync": "true"})
    with SparkTableEnvironment.create(spark, options) as environment:
        yield environment


@pytest.fixture
def value_of(spark: SparkSession) -> Callable[[str], Any]:
    """Returns a function that evaluates an expression of Spark SQL."""
    return lambda text: spark.range(1).selectExpr(text).toArrow().column(0).to_pylist()[0]


class Runner:
    """Runs statements and gives plain values back."""

    def __init__(self, environment: SparkTableEnvironment) -> None:
        self.environment = environment

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Returns a query's rows as tuples of Python values."""
        table = self.environment.execute_sql(statement).to_arrow()
        return [tuple(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]

    def value(self, expression: str) -> Any:
        """Returns the value of an expression."""
        ((value,),) = self.rows(f"SELECT {expression}")
        return value


@pytest.fixture
def run(env: SparkTableEnvironment) -> Runner:
    """The environment's statements as functions."""
    return Runner(env)
