"""All queries of TPC-H and TPC-DS on the embedded engine, compared with DuckDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import TableEnvironment


@pytest.fixture(scope="module")
def environments(make_environment: Callable[..., dict[str, TableEnvironment]]) -> dict[str, TableEnvironment]:
    return make_environment("arrow")


def test_the_embedded_engine_returns_the_rows_of_duckdb(
    environments: dict[str, TableEnvironment], check: Callable[[TableEnvironment, str, int], None], benchmark: str, number: int
) -> None:
    check(environments[benchmark], benchmark, number)
