"""TPC-DS and TPC-H at scale 0.01, with DuckDB's results; the data is generated once, in the cache folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness.rows import first_difference, fixes_order  # noqa: E402
from harness.tpc import Workload, connect, load  # noqa: E402

SCALE = 0.01
QUERIES = [("tpch", number) for number in range(1, 23)] + [("tpcds", number) for number in range(1, 100)]

Check = Callable[[TableEnvironment, str, int], None]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        queries = QUERIES[:: getattr(metafunc.module, "EVERY", 1)]
        metafunc.parametrize(("benchmark", "number"), queries, ids=[f"{name}-{number:02}" for name, number in queries])


@pytest.fixture(scope="session")
def workloads() -> dict[str, Workload]:
    return {name: load(name, SCALE, ROOT / "data" / "tpc") for name in ("tpch", "tpcds")}


@pytest.fixture(scope="session")
def make_environment(workloads: dict[str, Workload]) -> Iterator[Callable[..., dict[str, TableEnvironment]]]:
    """Returns a function that creates one environment per engine and benchmark, with its tables."""
    made: list[TableEnvironment] = []

    def make(planner: str, **external: Any) -> dict[str, TableEnvironment]:
        environments = {}
        for name, workload in workloads.items():
            settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()
            environments[name] = TableEnvironment.create(settings, external=external)
            made.append(environments[name])
            for definition in workload.definitions:
                environments[name].execute_sql(definition)
        return environments

    yield make
    for environment in made:
        environment.close()


@pytest.fixture(scope="session")
def check(workloads: dict[str, Workload]) -> Iterator[Check]:
    """Returns a function that runs a query of a benchmark and compares the rows with DuckDB's."""
    with ExitStack() as stack:
        connections = {name: stack.enter_context(connect(w.benchmark, w.files)) for name, w in workloads.items()}

        def compare(environment: TableEnvironment, benchmark: str, number: int) -> None:
            workload = workloads[benchmark]
            query = workload.queries[number]
            expected: pa.Table = connections[benchmark].execute(workload.duckdb_queries[number]).to_arrow_table()
            found = environment.execute_sql(query).to_arrow()
            assert first_difference(found, expected, ordered=fixes_order(query)) is None

        yield compare
