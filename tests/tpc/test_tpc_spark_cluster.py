"""The longest queries of TPC-DS on executors in separate processes, compared with DuckDB; `nox -s tpc` runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from table_api import TableEnvironment

HEAVIEST = (4, 14, 23, 24, 64, 67, 72, 78, 80, 95)


@pytest.fixture(scope="module")
def environment(make_environment: Callable[..., dict[str, TableEnvironment]]) -> Iterator[TableEnvironment]:
    from table_planner_spark import local_session

    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    options = {
        "spark.driver.extraJavaOptions": quick,
        "spark.executor.extraJavaOptions": quick,
        "spark.sql.shuffle.partitions": "2",
    }
    session = local_session("local-cluster[2,1,2048]", options)
    yield make_environment("spark", spark=session)["tpcds"]
    session.stop()


@pytest.mark.parametrize("query", HEAVIEST)
def test_a_cluster_returns_the_rows_of_duckdb(
    environment: TableEnvironment, check: Callable[[TableEnvironment, str, int], None], query: int
) -> None:
    check(environment, "tpcds", query)
