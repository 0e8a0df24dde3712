"""Spark with executors in processes of their own: what must reach them does."""

from __future__ import annotations

import os
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import SparkContext, cloudpickle
from pyspark.sql import SparkSession

from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_common.arrow import to_arrow_schema
from table_common.catalog import ResolvedSchema
from table_common.connector import ArrowScanProvider
from table_common.types import IntType, VarCharType
from table_planner_spark import local_session
from table_planner_spark.context import LoweringContext
from table_planner_spark.scan.providers import read_provider
from table_planner_spark.workers import DISTRIBUTIONS, worker_versions

# Executors cannot import a test module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SCHEMA = ResolvedSchema.physical([("n", IntType()), ("who", VarCharType())])


class Processes(ArrowScanProvider):
    """One row for each split: its number, and the process that read it."""

    def splits(self) -> Sequence[int]:
        return list(range(8))

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pylist([{"n": split, "who": str(os.getpid())}], schema=to_arrow_schema(SCHEMA.to_row_type()))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors whose Python has what our packages need, but not our packages."""
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    folder = tmp_path_factory.mktemp("cluster")
    session = local_session(
        "local-cluster[2,1,2048]",
        {
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.executorEnv.PYTHONNOUSERSITE": "1",
            "spark.pyspark.python": str(_bare_python(folder / "venv")),
            "spark.sql.shuffle.partitions": "2",
        },
    )
    yield session
    session.stop()


def _bare_python(folder: Path) -> Path:
    """Makes a virtual environment that sees third-party packages through links, and none of ours."""
    venv.create(folder, with_pip=False, symlinks=True)
    target = next((folder / "lib").glob("python*/site-packages"))
    import pyarrow

    source = Path(pyarrow.__file__).parent.parent
    ours = set(DISTRIBUTIONS.values())
    for path in source.iterdir():
        name = path.name.replace("-", "_")
        if not any(name.startswith(package) for package in ours) and not name.endswith(".pth") and not name.startswith("__editable__"):
            (target / path.name).symlink_to(path)
    return folder / "bin" / "python"


@pytest.fixture
def env(cluster: SparkSession) -> Iterator[SparkTableEnvironment]:
    options = Configuration({"table.local-time-zone": "UTC", "table.dml-sync": "true"})
    with SparkTableEnvironment.create(cluster, options) as environment:
        yield environment


def test_executors_do_not_have_our_packages_by_themselves(cluster: SparkSession) -> None:
    (versions,) = worker_versions(cluster)
    assert {versions[name] for name in DISTRIBUTIONS} == {None}
    assert versions["pyarrow"] is not None


def test_a_connector_in_python_is_read_by_the_executors(cluster: SparkSession) -> None:
    node = read_provider(Processes(), SCHEMA, "the test", LoweringContext(cluster, Configuration()))
    rows = node.frame.toArrow().to_pylist()
    assert sorted(row[node.columns[0]] for row in rows) == list(range(8))
    assert str(os.getpid()) not in {row[node.columns[1]] for row in rows}


def test_a_program_gives_the_rows_that_it_gives_on_one_machine(env: SparkTableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE t (k INT, v DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t', 'format' = 'parquet')"
    )
    env.execute_sql("INSERT INTO t VALUES (1, 1.50), (2, 2.25), (1, 3.00)").wait()
    table = env.execute_sql("SELECT a.k, SUM(b.v) AS s FROM t a JOIN t b ON a.k = b.k GROUP BY a.k ORDER BY a.k").to_arrow()
    assert [(row["k"], str(row["s"])) for row in table.to_pylist()] == [(1, "9.00"), (2, "2.25")]
