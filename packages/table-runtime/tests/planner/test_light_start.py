from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

QUERY = """
import sys
from table_api import EnvironmentSettings, TableEnvironment
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
env.execute_sql(f"CREATE TABLE t (k INT, v DOUBLE) WITH ('connector'='filesystem', 'path'='{sys.argv[1]}', 'format'='parquet')")
rows = list(env.execute_sql("SELECT k, SUM(v) FROM t WHERE v > 1 GROUP BY k ORDER BY k LIMIT 3").collect())
assert len(rows) == 2, rows
print(*sys.modules)
"""
ARROW = """
import sys
import pyarrow.lib
print(*sys.modules)
"""
IMPORTS = """
import sys
import table_runtime.connectors.filesystem, table_runtime.formats.csv.files, table_runtime.formats.json.files, table_runtime.formats.parquet.files
import table_runtime.sinks.file_sink, table_runtime.batch.joins.hash_join, table_runtime.scans.scan_files
print(*sys.modules)
"""


def loaded(program: str, *args: str) -> set[str]:
    finished = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr
    return set(finished.stdout.split())


def test_a_small_query_loads_no_module_that_it_does_not_need(tmp_path: Path) -> None:
    pq.write_table(pa.table({"k": pa.array([1, 2], pa.int32()), "v": [2.0, 3.0]}), tmp_path / "t.parquet")
    modules = loaded(QUERY, str(tmp_path)) - loaded(ARROW)  # pyarrow loads numpy wherever it is installed
    assert modules.isdisjoint({"pandas", "pyspark", "numpy", "pyarrow.compute", "pyarrow.dataset", "pyarrow.acero", "pyarrow.parquet"})


@pytest.mark.parametrize("unwanted", ["pandas", "pyspark", "table_api", "pyarrow.compute", "pyarrow.dataset"])
def test_operators_formats_and_connectors_load_little(unwanted: str) -> None:
    assert unwanted not in loaded(IMPORTS)
