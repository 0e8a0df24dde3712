"""ANALYZE TABLE: both engines compute the same statistics, and the catalog stores them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import ExplainDetail, TableEnvironment
from table_common.catalog import (
    Catalog,
    CatalogColumnStatisticsDataBoolean,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataDouble,
    CatalogColumnStatisticsDataLong,
    CatalogColumnStatisticsDataString,
    ObjectPath,
)

PATH = ObjectPath("default_database", "t")


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: Callable[[str], TableEnvironment], tmp_path: Path) -> TableEnvironment:
    environment = make_env(request.param)
    environment.execute_sql(
        "CREATE TABLE t (i INT, b BOOLEAN, s STRING, n DECIMAL(10, 2), d DATE, arr ARRAY<INT>, p STRING) PARTITIONED BY (p)"
        f" WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 't'}', 'format' = 'parquet')"
    )
    environment.execute_sql(
        "INSERT INTO t VALUES (1, TRUE, 'abc', 1.5, DATE '2026-01-01', ARRAY[1], 'x'), (2, FALSE, 'a', 2.5, DATE '2026-01-02', ARRAY[1], 'y'),"
        " (CAST(NULL AS INT), FALSE, 'a', 2.5, DATE '2026-01-02', ARRAY[2], 'y')"
    )
    return environment


def _catalog(environment: TableEnvironment) -> Catalog:
    catalog = environment.get_catalog("default_catalog")
    assert catalog is not None
    return catalog


def test_rows_and_columns_are_counted(env: TableEnvironment) -> None:
    env.execute_sql("ANALYZE TABLE t PARTITION (p) COMPUTE STATISTICS FOR ALL COLUMNS")
    catalog = _catalog(env)
    data = catalog.get_table_column_statistics(PATH).column_statistics_data
    assert catalog.get_table_statistics(PATH).row_count == 3
    assert data["i"] == CatalogColumnStatisticsDataLong(1, 1, 2, 2)
    assert data["b"] == CatalogColumnStatisticsDataBoolean(0, 1, 2)
    assert data["s"] == CatalogColumnStatisticsDataString(0, 3, pytest.approx(5 / 3), 2)
    assert data["n"] == CatalogColumnStatisticsDataDouble(0, 1.5, 2.5, 2)
    assert isinstance(data["d"], CatalogColumnStatisticsDataDate)
    assert (str(data["d"].min), str(data["d"].max)) == ("2026-01-01", "2026-01-02")
    assert data["arr"] == CatalogColumnStatisticsDataLong(0)


def test_partitions_in_the_catalog_have_their_own_statistics(env: TableEnvironment) -> None:
    env.execute_sql("ALTER TABLE t ADD PARTITION (p = 'x') PARTITION (p = 'y') PARTITION (p = 'z')")
    env.execute_sql("ANALYZE TABLE t PARTITION (p) COMPUTE STATISTICS FOR COLUMNS i")
    catalog = _catalog(env)
    specs = catalog.list_partitions(PATH)
    assert [size.row_count for size in catalog.bulk_get_partition_statistics(PATH, specs)] == [1, 2, 0]
    columns = [of.column_statistics_data["i"] for of in catalog.bulk_get_partition_column_statistics(PATH, specs)]
    assert columns == [
        CatalogColumnStatisticsDataLong(0, 1, 1, 1),
        CatalogColumnStatisticsDataLong(1, 2, 2, 1),
        CatalogColumnStatisticsDataLong(0, None, None, 0),
    ]


def test_only_the_partition_with_the_value_is_counted(env: TableEnvironment) -> None:
    env.execute_sql("ALTER TABLE t ADD PARTITION (p = 'x') PARTITION (p = 'y')")
    env.execute_sql("ANALYZE TABLE t PARTITION (p = 'y') COMPUTE STATISTICS")
    catalog = _catalog(env)
    specs = catalog.list_partitions(PATH)
    assert [size.row_count for size in catalog.bulk_get_partition_statistics(PATH, specs)] == [None, 2]
    assert catalog.get_table_statistics(PATH).row_count is None


def test_the_embedded_engine_uses_the_statistics_in_its_estimates(make_env: Callable[[str], TableEnvironment], tmp_path: Path) -> None:
    env = make_env("arrow")
    env.execute_sql(f"CREATE TABLE c (k INT, v STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'c'}', 'format' = 'csv')")
    env.execute_sql("INSERT INTO c VALUES (1, 'a'), (1, 'b'), (2, 'c'), (2, 'd')")
    query = "SELECT k, COUNT(*) AS n FROM c GROUP BY k"
    assert "rowcount=[4]" not in env.explain_sql(query, ExplainDetail.ESTIMATED_COST)
    env.execute_sql("ANALYZE TABLE c COMPUTE STATISTICS FOR ALL COLUMNS")
    explained = env.explain_sql(query, ExplainDetail.ESTIMATED_COST)
    assert ("rowcount=[4]" in explained, "rowcount=[2]" in explained) == (True, True)
