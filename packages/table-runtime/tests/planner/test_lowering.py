from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings
from table_api.delegation import PlannerContext
from table_api.operations import QUERY_OPERATIONS
from table_common.configuration import Configuration
from table_common.exceptions import TableRuntimeException
from table_runtime.planner import ArrowPlanner, ArrowPlannerFactory
from table_runtime.planner.lowering import lower
from table_runtime.planner.lowering.unsupported import UNSUPPORTED

VALUES = "(VALUES (1, 'a'), (2, 'b'), (CAST(NULL AS INT), 'a')) AS t(x, y)"


def test_every_query_operation_is_lowered_or_refused_with_a_reason() -> None:
    assert lower.missing(QUERY_OPERATIONS) == set(UNSUPPORTED)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (f"SELECT x + 1 AS z FROM {VALUES} WHERE x > 1", [(3,)]),
        (f"SELECT y, COUNT(*), SUM(x) FROM {VALUES} GROUP BY y ORDER BY y", [("a", 2, 1), ("b", 1, 2)]),
        (f"SELECT y FROM {VALUES} GROUP BY y HAVING COUNT(DISTINCT x) > 1", []),
        (f"SELECT x FROM {VALUES} ORDER BY x DESC", [(2,), (1,), (None,)]),
        (f"SELECT x FROM {VALUES} ORDER BY x LIMIT 1", [(None,)]),
        (f"SELECT DISTINCT y FROM {VALUES} ORDER BY y", [("a",), ("b",)]),
        (f"SELECT t.x, u.y FROM {VALUES} JOIN (VALUES (2, 'z')) AS u(x, y) ON t.x = u.x", [(2, "z")]),
        (f"SELECT t.x, u.x FROM {VALUES} LEFT JOIN (VALUES (1)) AS u(x) ON t.x > u.x WHERE t.x IS NOT NULL", [(2, 1), (1, None)]),
        ("SELECT 1 UNION ALL SELECT 1", [(1,), (1,)]),
        ("SELECT 1 UNION SELECT 1", [(1,)]),
        ("SELECT 1 INTERSECT SELECT 2", []),
        ("SELECT 1 EXCEPT SELECT 2", [(1,)]),
        ("SELECT 1", [(1,)]),
    ],
)
def test_each_node_gives_its_rows(query: Any, sql: str, rows: list[tuple[Any, ...]]) -> None:
    assert query(sql) == rows


def test_the_plan_shows_physical_operators(env: Any) -> None:
    text = env.explain_sql(f"SELECT y, COUNT(*) AS c FROM {VALUES} WHERE x > 1 GROUP BY y ORDER BY c LIMIT 3")
    physical = text[text.index("== Physical Plan (arrow) ==") :]
    found = [line.strip("+- ").partition("(")[0] for line in physical.splitlines()[1:] if line.strip()]
    assert [name for name in found if name not in ("Project", "NotNull")] == ["Collect", "TopN", "HashAggregate", "Filter", "Values"]


def test_a_join_on_equal_columns_hashes_and_keeps_the_rest_as_a_condition(env: Any) -> None:
    text = env.explain_sql(f"SELECT t.y FROM {VALUES} JOIN (VALUES (2, 'z')) AS u(x, y) ON t.x = u.x AND t.y < u.y")
    assert "HashJoin(joinType=[inner], keys=[(x = x)], where=[(y < y)])" in text


def test_writing_and_reading_files_through_sql(env: Any, query: Any, tmp_path: Path) -> None:
    env.execute_sql(
        f"CREATE TABLE f (x INT, y STRING) PARTITIONED BY (y) WITH ('connector'='filesystem', 'path'='{tmp_path}/f', 'format'='parquet')"
    )
    assert query(f"INSERT INTO f SELECT * FROM {VALUES}") == [(3,)]
    assert query("SELECT SUM(x) FROM f WHERE y = 'a'") == [(1,)]


def test_null_in_a_not_null_column_is_refused_or_dropped(env: Any, query: Any, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE f (x INT NOT NULL) WITH ('connector'='filesystem', 'path'='{tmp_path}/f', 'format'='csv')")
    with pytest.raises(TableRuntimeException, match="Column 'x'"):
        query(f"INSERT INTO f SELECT x FROM {VALUES}")
    assert not (tmp_path / "f").exists()
    env.execute_sql("SET 'table.exec.sink.not-null-enforcer' = 'DROP'")
    query(f"INSERT INTO f SELECT x FROM {VALUES}")
    assert query("SELECT x FROM f") == [(1,), (2,)]


def test_a_missing_path_fails_when_the_query_runs(env: Any, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE f (x INT) WITH ('connector'='filesystem', 'path'='{tmp_path}/none', 'format'='csv')")
    with pytest.raises(TableRuntimeException, match="none"):
        list(env.execute_sql("SELECT * FROM f").collect())


def test_a_runtime_error_is_one_of_ours(query: Any) -> None:
    with pytest.raises(TableRuntimeException, match="SUM overflows INT"):
        query("SELECT SUM(x) FROM (VALUES (2147483647), (1)) AS t(x)")


def test_both_modes_are_served() -> None:
    for settings in (EnvironmentSettings.in_batch_mode(), EnvironmentSettings.in_streaming_mode()):
        assert ArrowPlannerFactory().matches(settings) is None


def test_unknown_providers_are_refused_with_a_reason() -> None:
    planner = ArrowPlanner(PlannerContext(EnvironmentSettings.in_batch_mode(), Configuration()))
    assert "does not know the provider object" in str(planner.supports(object()))
