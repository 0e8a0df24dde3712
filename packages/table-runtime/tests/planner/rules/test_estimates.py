"""Estimates are numbers whatever statistics say: tables without rows, columns of NULL alone, counts that are wrong or huge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import QueryOperation
from table_common.connector.source import ColumnStats, TableStats
from table_common.tree import preorder
from table_runtime.planner.rules.estimates import estimate

QUERIES = [
    "SELECT * FROM t JOIN u ON t.a = u.a AND t.b = u.b AND t.d = u.d WHERE t.a = 1 AND u.a IN (1, 2, 3)",
    "SELECT a, COUNT(*) FROM t WHERE a = 1 OR b = 2 OR d IS NULL GROUP BY a, b, s, d",
    "SELECT DISTINCT a, b, s, d FROM t WHERE a = 5 UNION ALL SELECT a, b, s, d FROM u",
    "SELECT * FROM t LEFT JOIN u ON t.s = u.s AND t.a > u.b FULL JOIN v ON t.a = v.a RIGHT JOIN t AS w ON w.a = v.a",
    "SELECT * FROM t, u, v, t AS x, u AS y, v AS z WHERE t.a = u.a AND x.a = z.a AND y.b = 3 ORDER BY 1 LIMIT 0",
    "SELECT a FROM t WHERE a IN (SELECT b FROM u WHERE u.a = t.a) AND EXISTS (SELECT 1 FROM v WHERE a = 1)",
    "SELECT SUM(a) OVER (PARTITION BY b ORDER BY d) FROM (VALUES (1, 2, 3)) AS q(a, b, d) EXCEPT SELECT a FROM t",
]
COUNTS = st.none() | st.integers(-2, 3) | st.sampled_from([10**6, 2**63, 10**400])
BOUNDS = st.none() | st.integers(-(2**70), 2**70) | st.booleans() | st.dates() | st.datetimes() | st.text(max_size=2) | st.floats()
COLUMN = st.builds(ColumnStats, ndv=COUNTS, null_count=COUNTS, min=BOUNDS, max=BOUNDS)
TABLE = st.builds(TableStats, COUNTS, st.dictionaries(st.sampled_from("absd"), COLUMN))


@pytest.fixture(scope="module")
def environment() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        for name in "tuv":
            made.execute_sql(
                f"CREATE TABLE {name} (a INT, b BIGINT, s STRING, d DATE) WITH ('connector' = 'datagen', 'number-of-rows' = '1')"
            )
        yield made


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.sampled_from(QUERIES), statistics=st.fixed_dictionaries(dict.fromkeys("tuv", TABLE)))
def test_estimates_are_positive_numbers(environment: TableEnvironment, query: str, statistics: dict[str, TableStats]) -> None:
    root = environment.sql_query(query).query_operation
    estimate_of = estimate(root, lambda identifier: statistics[identifier.object_name], ask_sources=False)
    for node in preorder(root, QueryOperation):
        found = estimate_of(node)
        assert all(math.isfinite(count) and count >= 0 for count in (found.rows, *found.distinct))


def test_bounds_of_different_kinds_say_nothing(environment: TableEnvironment) -> None:
    root = environment.sql_query("SELECT d FROM t").query_operation
    column = ColumnStats(min=date(2020, 1, 1), max=datetime(2020, 1, 2))
    assert estimate(root, lambda _: TableStats(10, {"d": column}), ask_sources=False)(root).distinct == (10.0,)


@pytest.mark.parametrize("query", QUERIES)
def test_tables_without_rows_and_columns_of_null_are_planned(query: str, tmp_path: Path) -> None:
    types = pa.schema([("a", pa.int32()), ("b", pa.int64()), ("s", pa.string()), ("d", pa.date32())])
    rows = {"t": [], "u": [dict.fromkeys("absd")] * 3, "v": [{"a": 1, "b": None, "s": "", "d": None}]}
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        for name, values in rows.items():
            (tmp_path / name).mkdir()
            pq.write_table(pa.Table.from_pylist(values, types), tmp_path / name / "a.parquet")
            options = f"'connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path / name}'"
            environment.execute_sql(f"CREATE TABLE {name} (a INT, b BIGINT, s STRING, d DATE) WITH ({options})")
            environment.execute_sql(f"ANALYZE TABLE {name} COMPUTE STATISTICS FOR ALL COLUMNS")
        environment.execute_sql(query).to_arrow()
