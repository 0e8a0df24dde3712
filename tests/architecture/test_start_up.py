"""The modules that our packages load at import, each case in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

EMBEDDED_QUERY = """
from table_api import EnvironmentSettings, TableEnvironment
settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
with TableEnvironment.create(settings) as environment:
    rows = list(environment.execute_sql("SELECT a + 1 FROM (VALUES (1), (2)) AS t (a) WHERE a > 1").collect())
assert len(rows) == 1, rows
"""
BOUNDED_STREAM = """
from table_api import EnvironmentSettings, TableEnvironment
with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as environment:
    environment.execute_sql("CREATE TABLE o (a INT, n BIGINT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'blackhole')")
    environment.execute_sql("INSERT INTO o SELECT a, COUNT(*) FROM (VALUES (1), (2)) AS t (a) GROUP BY a").wait()
"""
USUAL_QUERIES = """
from table_api import EnvironmentSettings, TableEnvironment
environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
rows = "(1, 'a', 'abc', DATE '2020-01-01', 1.5e0, 1.25), (2, 'b', CAST(NULL AS STRING), DATE '2021-01-01', 2.5e0, 2.5)"
environment.execute_sql(f"CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES {rows}) AS v (n, k, s, d, x, c)")
for query in (
    "SELECT k, COUNT(*), SUM(n), AVG(n), MIN(n), MAX(s), COUNT(DISTINCT n) FROM t GROUP BY k",
    "SELECT DISTINCT k FROM t WHERE n > 1 AND s LIKE 'a%' OR d IN (DATE '2020-01-01', DATE '2021-01-01')",
    "SELECT k, n FROM t ORDER BY n DESC, k LIMIT 2",
    "SELECT n, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n), SUM(n) OVER (PARTITION BY k ORDER BY n), LAG(s) OVER (ORDER BY n) FROM t",
    "SELECT CASE WHEN n > 1 THEN 'big' ELSE 'small' END, UPPER(s), SUBSTRING(s, 1, 2), CHAR_LENGTH(s), s || 'x', COALESCE(n, 0) FROM t",
    "SELECT a.k, b.n FROM t a LEFT JOIN t b ON a.n = b.n WHERE b.n IS NULL OR a.n BETWEEN 1 AND 3",
    "SELECT k FROM t WHERE n IN (SELECT n FROM t WHERE n > 1) UNION ALL SELECT k FROM t WHERE n IN (1, 2, 3)",
    "SELECT k FROM t EXCEPT SELECT k FROM t WHERE n = 3",
    "SELECT EXTRACT(YEAR FROM d), d + INTERVAL '1' DAY, CAST(n AS STRING), CAST('1' AS INT), n / 2, n * 1.5, MOD(n, 2), ROUND(x, 1) FROM t",
    "SELECT k, SUM(n) FROM t GROUP BY GROUPING SETS ((k), ()) HAVING SUM(n) > 1",
    "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.n = t.n + 1)",
    "SELECT MAX(x), SUM(c), AVG(x), STDDEV_POP(x) FROM t",
):
    assert list(environment.execute_sql(query).collect()) is not None, query
"""
PARQUET_JOIN = """
from table_api import EnvironmentSettings, TableEnvironment
environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
for name, columns in {"sales": "day BIGINT, item BIGINT, price DOUBLE", "days": "day BIGINT, year BIGINT", "items": "item BIGINT, brand STRING"}.items():
    columns = columns.replace("day ", "`day` ").replace("year ", "`year` ")
    environment.execute_sql(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{folder}/{name}.parquet')"
    )
rows = list(environment.execute_sql(
    "SELECT d.`year`, i.brand, SUM(price) AS total FROM days d, sales s, items i "
    "WHERE d.`day` = s.`day` AND s.item = i.item AND d.`year` < 2002 GROUP BY d.`year`, i.brand ORDER BY d.`year`, total DESC, brand LIMIT 10"
).collect())
assert len(rows) == 2, rows
"""
MOST_MODULES = {"VALUES": 650, "join": 740}
"""The number of modules that a first query may load, those of the standard library, numpy and pyarrow included. These numbers only go down."""

OF_SLOW_QUERIES = {"table_runtime.run.memory.watch"}
"""The modules that a query loads only if it takes longer than a twentieth of a second, as on a machine with other work."""


def _modules_loaded_by(program: str, *path: Path) -> set[str]:
    """Runs the program in a fresh interpreter, which finds modules in some folders too, and returns the modules that it loaded."""
    report = "\nimport sys\nprint('LOADED', *sorted(sys.modules))"
    program = f"import sys\nsys.path[:0] = {[str(folder) for folder in path]}\n" + program
    finished = subprocess.run([sys.executable, "-c", program + report], capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr
    return set(finished.stdout.splitlines()[-1].split()[1:])


def _packages_loaded_by(program: str) -> set[str]:
    return {name.partition(".")[0] for name in _modules_loaded_by(program)}


def test_table_common_loads_neither_pyarrow_nor_an_engine() -> None:
    assert _packages_loaded_by("import table_common").isdisjoint({"pyarrow", "pandas", "numpy", "pyspark", "table_api", "table_runtime"})


def test_table_api_loads_neither_pyarrow_nor_an_engine() -> None:
    loaded = _packages_loaded_by("import table_api")
    assert loaded.isdisjoint({"pyarrow", "pandas", "numpy", "pyspark", "table_runtime", "table_planner_spark"})


def test_an_embedded_query_loads_no_spark() -> None:
    assert _packages_loaded_by(EMBEDDED_QUERY).isdisjoint({"pyspark", "py4j", "table_api_bridge", "table_planner_spark"})


def test_an_embedded_query_loads_only_the_operators_and_functions_that_it_uses() -> None:
    loaded = _modules_loaded_by(EMBEDDED_QUERY)
    assert "table_runtime.kernels.arithmetic" in loaded
    unused = (
        "table_runtime.kernels.json",
        "table_runtime.batch.over.over_aggregate",
        "table_runtime.aggregates.sums",
        "table_api.tables.table",
        "table_api.jobs.program_end",
        "table_common.configuration.known_keys",
    )
    assert loaded.isdisjoint(unused)


@pytest.fixture
def parquet_join(tmp_path: Path) -> str:
    """A program that joins three small Parquet files."""
    tables = {
        "sales": pa.table({"day": [1, 2, 3], "item": [1, 1, 2], "price": [1.5, 2.5, 3.5]}),
        "days": pa.table({"day": [1, 2, 3], "year": [2000, 2000, 2001]}),
        "items": pa.table({"item": [1, 2], "brand": ["a", "b"]}),
    }
    for name, table in tables.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    return f"folder = {str(tmp_path)!r}\n{PARQUET_JOIN}"


def test_a_first_query_loads_few_modules(parquet_join: str) -> None:
    assert len(_modules_loaded_by(EMBEDDED_QUERY) - OF_SLOW_QUERIES) <= MOST_MODULES["VALUES"]
    assert len(_modules_loaded_by(parquet_join) - OF_SLOW_QUERIES) <= MOST_MODULES["join"]


def test_a_join_of_small_parquet_files_imports_neither_pandas_nor_datasets(parquet_join: str, tmp_path: Path) -> None:
    tmp_path.joinpath("pandas.py").write_text("raise SystemExit('pandas is imported')\n")
    loaded = _modules_loaded_by(parquet_join, tmp_path)
    assert "pyarrow._parquet" in loaded
    assert loaded.isdisjoint({"pandas", "pyarrow._dataset", "pyarrow.parquet", "pyarrow.compute"})


def test_usual_queries_do_not_import_pandas_where_it_is_installed(tmp_path: Path) -> None:
    tmp_path.joinpath("pandas.py").write_text("raise SystemExit('pandas is imported')\n")
    assert "pandas" not in _modules_loaded_by(USUAL_QUERIES, tmp_path)


def test_a_streaming_query_over_rows_that_end_loads_neither_the_loop_nor_checkpoints() -> None:
    loaded = _modules_loaded_by(BOUNDED_STREAM)
    assert "table_runtime.streaming.graph.graph_run" in loaded
    parts = ("table_runtime.streaming.checkpoints", "table_runtime.files.local_folder", "table_runtime.planner.streaming.job")
    assert not [name for name in loaded if name.startswith(parts)]


def test_the_runtime_without_its_planner_loads_no_table_api(repository: Repository) -> None:
    runtime = repository.distributions["table_runtime"]
    modules = [module for source in runtime.sources if not (module := runtime.module_of(source)).startswith("table_runtime.planner")]
    program = "import importlib\n" + "\n".join(f"importlib.import_module({module!r})" for module in modules)
    assert _packages_loaded_by(program).isdisjoint({"table_api", "pyspark", "sql_client"})
