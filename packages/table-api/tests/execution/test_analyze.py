"""ANALYZE TABLE: the queries that it runs, and the statistics that the catalog gets."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from table_api import TableEnvironment
from table_api.execution.local_result import rows_of
from table_api.operations import QueryOperation
from table_api.operations.sql_text import query_text
from table_api.table_result import TableResult
from table_common.catalog import CatalogColumnStatisticsDataLong, CatalogPartitionSpec, CatalogTableStatistics, ObjectPath
from table_common.types import VarCharType

PLAIN = ObjectPath("default_database", "plain")
PARTS = ObjectPath("default_database", "parts")


class Answers:
    """Returns prepared rows for each query, whose text it keeps."""

    def __init__(self, *answers: Sequence[Sequence[object]]) -> None:
        self.queries: list[str] = []
        self._answers = list(answers)

    def __call__(self, operation: QueryOperation) -> TableResult:
        self.queries.append(query_text(operation))
        return rows_of([(name, VarCharType()) for name in operation.resolved_schema.column_names], self._answers.pop(0))


@pytest.fixture
def tables(plain: TableEnvironment) -> TableEnvironment:
    plain.execute_sql("CREATE TABLE plain (a INT, s STRING) WITH ('connector' = 'none')")
    plain.execute_sql("CREATE TABLE parts (a INT, d INT) PARTITIONED BY (d) WITH ('connector' = 'none')")
    plain.execute_sql("ALTER TABLE parts ADD PARTITION (d = '1') PARTITION (d = '2')")
    return plain


def analyze(tables: TableEnvironment, monkeypatch: pytest.MonkeyPatch, statement: str, *answers: Sequence[Sequence[object]]) -> list[str]:
    """Runs ANALYZE with these results of its queries; returns the texts of the queries."""
    prepared = Answers(*answers)
    monkeypatch.setattr(tables.session, "run_query", prepared)
    tables.execute_sql(statement)
    return prepared.queries


def test_the_rows_of_a_table_are_counted(tables: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    (query,) = analyze(tables, monkeypatch, "ANALYZE TABLE plain COMPUTE STATISTICS", [(7,)])
    assert query.startswith("SELECT COUNT(*)")
    catalog = tables.get_catalog("default_catalog")
    assert catalog.get_table_statistics(PLAIN) == CatalogTableStatistics(7)


def test_the_statistics_of_columns_are_computed_in_the_same_query(tables: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = analyze(tables, monkeypatch, "ANALYZE TABLE plain COMPUTE STATISTICS FOR COLUMNS a", [(7, 5, 3, -1, 9)])
    assert len(queries) == 1
    data = tables.get_catalog("default_catalog").get_table_column_statistics(PLAIN).column_statistics_data
    assert data == {"a": CatalogColumnStatisticsDataLong(2, -1, 9, 3)}


def test_each_partition_in_the_catalog_gets_its_own_statistics(tables: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    analyze(tables, monkeypatch, "ANALYZE TABLE parts PARTITION (d) COMPUTE STATISTICS", [(12,)], [("1", 5), ("3", 7)])
    catalog = tables.get_catalog("default_catalog")
    partitions = {spec: catalog.get_partition_statistics(PARTS, spec).row_count for spec in catalog.list_partitions(PARTS)}
    assert partitions == {CatalogPartitionSpec({"d": "1"}): 5, CatalogPartitionSpec({"d": "2"}): 0}


def test_only_the_rows_of_a_named_partition_are_read(tables: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    (query,) = analyze(tables, monkeypatch, "ANALYZE TABLE parts PARTITION (d = 1) COMPUTE STATISTICS", [("1", 5)])
    assert "WHERE `parts`.`d` = CAST('1' AS INT)" in query
    catalog = tables.get_catalog("default_catalog")
    assert catalog.get_table_statistics(PARTS) == CatalogTableStatistics()
