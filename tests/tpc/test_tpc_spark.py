"""All queries of TPC-H and TPC-DS on the Spark engine, compared with DuckDB; `nox -s tpc` runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from harness.tpc import Workload

from table_api import TableEnvironment
from table_api.operations import QueryOperation
from table_planner_spark import context


@pytest.fixture(scope="module")
def environments(make_environment: Callable[..., dict[str, TableEnvironment]]) -> Iterator[dict[str, TableEnvironment]]:
    from table_planner_spark import local_session

    options = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.sql.shuffle.partitions": "2"}
    session = local_session("local[2]", options)
    yield make_environment("spark", spark=session)
    session.stop()


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[int, frozenset[int]]]:
    """The columns, plan by plan, that Spark is kept from inlining."""
    found: list[Mapping[int, frozenset[int]]] = []
    find = context.large_columns

    def remember(plan: QueryOperation) -> Mapping[int, frozenset[int]]:
        found.append(find(plan))
        return found[-1]

    monkeypatch.setattr(context, "large_columns", remember)
    return found


def test_the_spark_engine_returns_the_rows_of_duckdb(
    environments: dict[str, TableEnvironment], check: Callable[[TableEnvironment, str, int], None], benchmark: str, number: int
) -> None:
    check(environments[benchmark], benchmark, number)


def test_no_column_has_a_barrier(
    environments: dict[str, TableEnvironment],
    workloads: dict[str, Workload],
    large: list[Mapping[int, frozenset[int]]],
    benchmark: str,
    number: int,
) -> None:
    environments[benchmark].explain_sql(workloads[benchmark].queries[number])
    assert large
    assert not any(large)
