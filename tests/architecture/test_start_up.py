"""The modules that our packages load at import, each case in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def _modules_loaded_by(program: str) -> set[str]:
    """Runs the program in a fresh interpreter and returns the modules that it loaded."""
    report = "\nimport sys\nprint('LOADED', *sorted(sys.modules))"
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
