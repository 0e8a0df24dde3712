"""ALTER TABLE ADD and DROP PARTITION, SHOW PARTITIONS, and what ANALYZE TABLE refuses: none of it needs an engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException
from table_common.catalog import CatalogPartitionSpec, ObjectPath


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.execute_sql("CREATE TABLE t (a INT, c AS a + 1, dt DATE, h INT) PARTITIONED BY (dt, h) WITH ('connector' = 'x')")
        environment.execute_sql("CREATE TABLE u (a INT) WITH ('connector' = 'x')")
        environment.execute_sql("CREATE VIEW v AS SELECT a FROM u")
        environment.execute_sql("CREATE TEMPORARY TABLE tmp (a INT) WITH ('connector' = 'x')")
        yield environment


def partitions(environment: TableEnvironment, suffix: str = "") -> list[str]:
    with environment.execute_sql(f"SHOW PARTITIONS t {suffix}").collect() as rows:
        return [row[0] for row in rows]


def test_added_partitions_are_shown(plain: TableEnvironment) -> None:
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = DATE '2026-01-01', h = 1) WITH ('k' = 'v') PARTITION (h = NULL, dt = 'x')")
    assert partitions(plain) == ["dt=2026-01-01/h=1", "dt=x/h=__HIVE_DEFAULT_PARTITION__"]


def test_partition_keeps_its_options(plain: TableEnvironment) -> None:
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = 'x', h = 1) WITH ('k' = 'v')")
    catalog = plain.get_catalog("default_catalog")
    assert catalog is not None
    spec = CatalogPartitionSpec({"dt": "x", "h": "1"})
    assert catalog.get_partition(ObjectPath("default_database", "t"), spec).properties == {"k": "v"}


def test_show_partitions_takes_values(plain: TableEnvironment) -> None:
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = 'x', h = 1) PARTITION (dt = 'x', h = 2) PARTITION (dt = 'y', h = 1)")
    assert partitions(plain, "PARTITION (h = 1)") == ["dt=x/h=1", "dt=y/h=1"]


def test_default_name_of_a_partition_is_the_tables(plain: TableEnvironment) -> None:
    plain.execute_sql("ALTER TABLE t SET ('partition.default-name' = 'none')")
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = NULL, h = 1)")
    assert partitions(plain) == ["dt=none/h=1"]


def test_dropped_partitions_are_gone(plain: TableEnvironment) -> None:
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = 'x', h = 1) PARTITION (dt = 'x', h = 2)")
    plain.execute_sql("ALTER TABLE t DROP PARTITION (h = 1, dt = 'x'), PARTITION (dt = 'x', h = 2)")
    assert partitions(plain) == []


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'x', h = 1)",
        "ALTER TABLE t DROP IF EXISTS PARTITION (dt = 'y', h = 1)",
        "ALTER TABLE IF EXISTS nope ADD PARTITION (dt = 'x', h = 1)",
        "ALTER TABLE IF EXISTS nope DROP PARTITION (dt = 'x', h = 1)",
    ],
)
def test_what_is_there_or_missing_can_be_ignored(plain: TableEnvironment, statement: str) -> None:
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = 'x', h = 1)")
    plain.execute_sql(statement)
    assert partitions(plain) == ["dt=x/h=1"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("ALTER TABLE t ADD PARTITION (dt = 'x', h = 1)", r"Partition \(dt=x/h=1\) exists already"),
        ("ALTER TABLE t ADD PARTITION (dt = 'x')", "has no value of 'h'"),
        ("ALTER TABLE t ADD PARTITION (dtt = 'x', h = 1)", "Partition key 'dtt' does not exist .* Did you mean 'dt'"),
        ("ALTER TABLE t ADD PARTITION (dt = 'x', dt = 'y')", "gives 'dt' twice"),
        ("ALTER TABLE t DROP PARTITION (dt = 'x', h = 2)", "'dt=x/h=2' does not exist"),
        ("ALTER TABLE t DROP PARTITION (dt = 'x')", "has no value of 'h'"),
        ("ALTER TABLE u ADD PARTITION (a = 1)", "is not partitioned"),
        ("ALTER TABLE v ADD PARTITION (a = 1)", "is a view"),
        ("ALTER TABLE tmp ADD PARTITION (a = 1)", "is a temporary table"),
        ("ALTER TABLE nope ADD PARTITION (a = 1)", "'nope' does not exist"),
        ("SHOW PARTITIONS u", "is not partitioned"),
        ("SHOW PARTITIONS v", "is a view"),
        ("SHOW PARTITIONS nope", "'nope' does not exist"),
        ("SHOW PARTITIONS t PARTITION (x = 1)", "Partition key 'x' does not exist"),
        ("ANALYZE TABLE t COMPUTE STATISTICS", r"names all partition keys \(dt, h\), but got none"),
        ("ANALYZE TABLE t PARTITION (dt) COMPUTE STATISTICS", r"names all partition keys \(dt, h\), but got dt"),
        ("ANALYZE TABLE u PARTITION (dt) COMPUTE STATISTICS", "is not partitioned"),
        ("ANALYZE TABLE u COMPUTE STATISTICS FOR COLUMNS b", "Column 'b' does not exist"),
        ("ANALYZE TABLE t PARTITION (dt, h) COMPUTE STATISTICS FOR COLUMNS c", "'c' of .* is computed or metadata"),
        ("ANALYZE TABLE v COMPUTE STATISTICS", "is a view"),
        ("ANALYZE TABLE tmp COMPUTE STATISTICS", "is temporary"),
        ("ANALYZE TABLE nope COMPUTE STATISTICS", "'nope' does not exist"),
    ],
)
def test_wrong_statements_say_what_is_wrong(plain: TableEnvironment, statement: str, message: str) -> None:
    plain.execute_sql("ALTER TABLE t ADD PARTITION (dt = 'x', h = 1)")
    with pytest.raises(ValidationException, match=message):
        plain.execute_sql(statement)


def test_analyze_needs_batch_mode() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as environment:
        environment.execute_sql("CREATE TABLE u (a INT) WITH ('connector' = 'x')")
        with pytest.raises(ValidationException, match="needs an environment in batch mode"):
            environment.execute_sql("ANALYZE TABLE u COMPUTE STATISTICS")
