"""Columns of sinks that are declared NOT NULL."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from table_api.operations import SinkModifyOperation
from table_common.catalog import Column, ObjectIdentifier
from table_common.configuration import Configuration
from table_common.exceptions import TableRuntimeException
from table_common.types import parse_logical_type
from table_planner_spark.relation import SparkRelation
from table_planner_spark.sink.not_null import guard_nested_not_null

NULL_ROW = "INSERT INTO guarded SELECT x, 'b' FROM (VALUES (1), (CAST(NULL AS INT))) AS t(x)"


@pytest.fixture
def guarded(env: Any) -> Any:
    env.execute_sql("CREATE TEMPORARY TABLE guarded (a INT NOT NULL, b STRING) WITH ('connector' = 'blackhole')")
    return env


def test_a_null_is_an_error_that_names_the_column(guarded: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"Column 'a' of table default_catalog\.default_database\.guarded is declared NOT NULL"):
        guarded.execute_sql(NULL_ROW).wait()


def test_a_row_with_null_is_dropped_with_the_option(guarded: Any) -> None:
    guarded.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
    (counts,) = guarded.execute_sql(NULL_ROW).to_arrow().to_pylist()
    assert list(counts.values()) == [1]


NESTED = "id INT, r ROW<a INT NOT NULL, b STRING>, l ARRAY<ROW<c INT NOT NULL> NOT NULL>, m MAP<STRING, INT NOT NULL>"
ROWS = """VALUES
    (1, named_struct('a', 1, 'b', NULL), array(named_struct('c', 1)), map('k', 1)),
    (2, NULL, NULL, NULL),
    (3, NULL, array(), map()),
    (4, named_struct('a', CAST(NULL AS INT), 'b', 'x'), array(), map()),
    (5, NULL, array(named_struct('c', 1), NULL), map()),
    (6, NULL, array(named_struct('c', CAST(NULL AS INT))), map()),
    (7, NULL, array(), map('k', NULL))"""


@pytest.fixture
def written(spark: Any) -> Any:
    """Returns the ids of the rows that pass the check; Spark's readers themselves fail where a source declares what it does not keep."""
    types = [part.type for part in parse_logical_type(f"ROW<{NESTED}>").fields]
    columns = [Column.physical(name, type_) for name, type_ in zip(["id", "r", "l", "m"], types, strict=True)]
    identifier = ObjectIdentifier.of("c", "d", "t")

    def run(nested: str, not_null: str) -> list[int]:
        configuration = Configuration({"table.exec.sink.nested-constraint-enforcer": nested, "table.exec.sink.not-null-enforcer": not_null})
        parts = SinkModifyOperation.nested_required_parts(SimpleNamespace(consumed_columns=columns), configuration)
        operation = SimpleNamespace(
            consumed_columns=columns, table=SimpleNamespace(identifier=identifier), nested_required_parts=lambda _: parts
        )
        frame = spark.sql(f"SELECT * FROM ({ROWS}) AS v(id, r, l, m)")
        guarded = guard_nested_not_null(SparkRelation(frame, ("id", "r", "l", "m")), operation, configuration)
        return sorted(row[0] for row in guarded.frame.collect())

    return run


@pytest.mark.parametrize(
    ("nested", "ids"), [("IGNORE", [1, 2, 3, 4, 5, 6, 7]), ("ROWS", [1, 2, 3, 5, 6, 7]), ("ROWS_AND_COLLECTIONS", [1, 2, 3])]
)
def test_rows_with_null_inside_are_dropped(written: Any, nested: str, ids: list[int]) -> None:
    assert written(nested, "DROP") == ids


def test_null_inside_is_an_error_that_names_the_part(written: Any) -> None:
    with pytest.raises(Exception, match=r"'r\.a' of table c\.d\.t is declared NOT NULL, but a row has NULL there"):
        written("ROWS", "ERROR")
