"""All queries of TPC-H and TPC-DS on the Spark engine, against DuckDB; `nox -s tpc` runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from table_api import TableEnvironment


@pytest.fixture(scope="module")
def environments(make_environment: Callable[..., dict[str, TableEnvironment]]) -> Iterator[dict[str, TableEnvironment]]:
    from table_planner_spark import local_session

    options = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.sql.shuffle.partitions": "2"}
    session = local_session("local[2]", options)
    yield make_environment("spark", spark=session)
    session.stop()


def test_the_spark_engine_gives_the_rows_of_duckdb(
    environments: dict[str, TableEnvironment], check: Callable[[TableEnvironment, str, int], None], benchmark: str, number: int
) -> None:
    check(environments[benchmark], benchmark, number)
