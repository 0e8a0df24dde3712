"""Spark with executors in separate processes: code, files and data reach them."""

from __future__ import annotations

import os
import shutil
import sys
import types
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import SparkContext, cloudpickle
from pyspark.sql import SparkSession

from table_api import Configuration
from table_api.udf import FunctionContext, ScalarFunction, function_metrics
from table_api_bridge import SparkTableEnvironment
from table_common.arrow import to_arrow_schema
from table_common.catalog import ResolvedSchema
from table_common.connector import ArrowScanProvider
from table_common.types import IntType, VarCharType
from table_planner_spark import local_session
from table_planner_spark.context import LoweringContext
from table_planner_spark.scan.providers import read_provider
from table_planner_spark.session.workers import DISTRIBUTIONS, worker_versions

# Executors cannot import a test module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SCHEMA = ResolvedSchema.physical([("n", IntType()), ("who", VarCharType())])


class Processes(ArrowScanProvider):
    """Returns a row for each split: its number, and the process that read it."""

    def splits(self) -> Sequence[int]:
        return list(range(8))

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pylist([{"n": split, "who": str(os.getpid())}], schema=to_arrow_schema(SCHEMA.to_row_type()))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors whose Python has our dependencies, but not our packages."""
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
    """Creates a virtual environment with links to third-party packages, without ours."""
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


def test_executors_do_not_have_our_packages_installed(cluster: SparkSession) -> None:
    (versions,) = worker_versions(cluster)
    assert {versions[name] for name in DISTRIBUTIONS} == {None}
    assert versions["pyarrow"] is not None


def test_executors_read_a_python_connector(cluster: SparkSession) -> None:
    node = read_provider(Processes(), SCHEMA, "the test", LoweringContext(cluster, Configuration()))
    rows = node.frame.toArrow().to_pylist()
    assert sorted(row[node.columns[0]] for row in rows) == list(range(8))
    assert str(os.getpid()) not in {row[node.columns[1]] for row in rows}


def test_a_program_returns_the_same_rows_as_locally(env: SparkTableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE t (k INT, v DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t', 'format' = 'parquet')"
    )
    env.execute_sql("INSERT INTO t VALUES (1, 1.50), (2, 2.25), (1, 3.00)").wait()
    table = env.execute_sql("SELECT a.k, SUM(b.v) AS s FROM t a JOIN t b ON a.k = b.k GROUP BY a.k ORDER BY a.k").to_arrow()
    assert [(row["k"], str(row["s"])) for row in table.to_pylist()] == [(1, "9.00"), (2, "2.25")]


# --- functions whose code and files the executors do not have ---------------------------------------------------------------------


@pytest.fixture
def functions(env: SparkTableEnvironment) -> SparkTableEnvironment:
    env.execute_sql("CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'a')) AS t(x, k)")
    return env


def rows(env: SparkTableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return sorted(tuple(row) for row in found)


MAIN = """
from __future__ import annotations
from dataclasses import dataclass
from table_api.udf import AggregateFunction, ScalarFunction

@dataclass
class Point:
    x: int
    y: int

class MakePoint(ScalarFunction):
    def eval(self, x: int) -> Point:
        return Point(x, -x)

class Norm(ScalarFunction):
    def eval(self, p: Point) -> int:
        assert type(p).__name__ == "Point"
        return abs(p.x) + abs(p.y)

@dataclass
class Total:
    sum: int = 0

class Sum(AggregateFunction[int, Total]):
    def create_accumulator(self) -> Total:
        return Total()

    def accumulate(self, accumulator: Total, x: int) -> None:
        accumulator.sum += x

    def merge(self, accumulator: Total, others: object) -> None:
        for other in others:
            accumulator.sum += other.sum

    def get_value(self, accumulator: Total) -> int:
        return accumulator.sum
"""


def test_classes_of_main_are_pickled_by_value(functions: SparkTableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(MAIN, vars(main))
    functions.create_temporary_function("make_point", main.MakePoint)
    functions.create_temporary_function("norm", main.Norm)
    functions.create_temporary_function("total", main.Sum)
    assert rows(functions, "SELECT norm(make_point(x)) FROM v") == [(2,), (4,), (6,)]
    assert rows(functions, "SELECT k, total(x) FROM v GROUP BY k") == [("a", 4), ("b", 2)]


class Imports(ScalarFunction):
    def eval(self, x: int) -> int:
        import module_of_the_cluster_test

        result: int = module_of_the_cluster_test.triple(x)
        return result


def test_added_python_file_reaches_the_executors(functions: SparkTableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "module_of_the_cluster_test.py").write_text("def triple(x):\n    return 3 * x\n")
    functions.add_python_file(str(tmp_path / "module_of_the_cluster_test.py"))
    functions.create_temporary_function("triple", Imports)
    assert rows(functions, "SELECT triple(x) FROM v") == [(3,), (6,), (9,)]


class Reads(ScalarFunction):
    def open(self, function_context: FunctionContext) -> None:
        self.word = Path(function_context.get_cached_file("word")).read_text()
        self.other = (Path(function_context.get_cached_file("folder")) / "inside.txt").read_text()
        self.calls = function_context.get_metric_group().counter("calls")

    def eval(self, x: int) -> str:
        self.calls.inc()
        return f"{self.word} {self.other} {x}"


def test_cached_files_reach_the_executors_and_metrics_come_back(functions: SparkTableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.txt").write_text("there")
    (tmp_path / "word.txt").write_text("hello")
    functions.register_cached_file(str(tmp_path / "word.txt"), "word")
    functions.register_cached_file(str(tmp_path / "folder"), "folder")
    functions.create_temporary_function("reads_files", Reads)
    assert rows(functions, "SELECT reads_files(x) FROM v") == [("hello there 1",), ("hello there 2",), ("hello there 3",)]
    assert function_metrics()["reads_files"] == {"calls": 3}


class ReadsArchive(ScalarFunction):
    def eval(self, x: int) -> str:
        with open("archive_of_the_cluster_test/word.txt") as file:
            return f"{file.read()} {x}"


def test_added_archive_is_in_the_working_directory_of_the_executors(
    functions: SparkTableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "word.txt").write_text("hello")
    monkeypatch.chdir(tmp_path)
    functions.add_python_archive(shutil.make_archive("made", "gztar", "content"), "archive_of_the_cluster_test")
    functions.create_temporary_function("reads_archive", ReadsArchive)
    assert rows(functions, "SELECT reads_archive(x) FROM v") == [("hello 1",), ("hello 2",), ("hello 3",)]


def test_in_process_rows_reach_a_cluster(cluster: SparkSession) -> None:
    with SparkTableEnvironment.create(cluster) as env:
        rows = pa.table({"a": range(300_000), "b": [f"name {number}" for number in range(300_000)]})
        env.create_temporary_view("held", env.from_arrow(rows))
        for _ in range(2):
            (found,) = env.execute_sql("SELECT COUNT(*), SUM(a), MAX(b) FROM held WHERE a >= 10").collect()
            assert tuple(found) == (299_990, sum(range(10, 300_000)), "name 99999")
