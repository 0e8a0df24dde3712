"""The programs of the README under spark-submit, on one machine and on a cluster whose workers have only dependencies, or an unpacked environment."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pyspark
import pytest

from table_planner_spark.session.java import find_java_home
from table_planner_spark.session.workers import DISTRIBUTIONS

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).parent / "spark_submit_programs.py"
OURS = {name.replace("-", "_") for name in DISTRIBUTIONS} | {"sql_client", "connector"}
GUIDE = ROOT / "docs" / "guide" / "deploying-on-spark.md"
CLUSTER = "local-cluster[2,1,1024]"
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

WITH_A_SESSION = """
from pyspark.sql import SparkSession
from table_api import col
from table_api.udf import udf
from table_api_bridge import SparkTableEnvironment

spark = SparkSession.builder.getOrCreate()
with SparkTableEnvironment.create(spark) as env:
    shout = udf(lambda text: text.upper() + "!", result_type="STRING")
    frame = spark.createDataFrame([("a",), ("b",)], "x STRING")
    rows = env.to_data_frame(env.from_data_frame(frame).select(shout(col("x")).alias("y"))).collect()
assert sorted(tuple(row) for row in rows) == [("A!",), ("B!",)], rows
print("master", spark.sparkContext.master)
spark.stop()
"""

FIRST_SQL = """
from pyspark import SparkContext
from table_api import EnvironmentSettings, TableEnvironment

settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
with TableEnvironment.create(settings) as env:
    for statement in {statements!r}:
        result = env.execute_sql(statement)
    assert [tuple(row) for row in result.collect()] == [("American Airlines Inc.", 1, 5.0), ("Delta Air Lines Inc.", 1, None)]
    print("master of ours", SparkContext._active_spark_context.master)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the README's examples, and its programs on Spark."""
    folder = tmp_path_factory.mktemp("submitted")
    tables = folder / "data" / "flights"
    tables.mkdir(parents=True)
    delays = pyarrow.array([5, None, -3], pyarrow.int32())
    flights = pyarrow.table({"carrier": ["AA", "DL", "AA"], "origin": ["JFK", "JFK", "LGA"], "arr_delay": delays})
    pyarrow.parquet.write_table(flights, tables / "flights.parquet")
    airlines = pyarrow.table({"carrier": ["AA", "DL"], "name": ["American Airlines Inc.", "Delta Air Lines Inc."]})
    pyarrow.parquet.write_table(airlines, tables / "airlines.parquet")
    readme = (ROOT / "README.md").read_text()
    programs = [text.replace('with_planner("arrow")', 'with_planner("spark")') for text in _blocks(readme, "python")]
    assert len(programs) == 2, "the Table API program, and the one with user functions"
    statements = [text for text in map(str.strip, _blocks(readme, "sql")[0].split(";")) if text]
    programs += [FIRST_SQL.format(statements=statements), WITH_A_SESSION]
    for number, text in enumerate(programs):
        (folder / f"program_{number}.py").write_text(text)
    return folder


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def _command(option: str) -> str:
    """Returns the command of the guide that has an option."""
    (found,) = (line for line in _blocks(GUIDE.read_text(), "console") if option in line)
    return found.strip().removeprefix("$ ")


def _submit(command: str, folder: Path, python: str = sys.executable, options: str = "") -> str:
    """Runs all programs in one spark-submit, as the guide has it, and returns their output."""
    programs = [str(path) for path in sorted(folder.glob("program_*.py"))]
    defaults = folder / "conf" / "spark-defaults.conf"
    defaults.parent.mkdir(exist_ok=True)
    lines = [f"spark.driver.extraJavaOptions {QUICK_JVM}", f"spark.executor.extraJavaOptions {QUICK_JVM}", "spark.ui.enabled false"]
    defaults.write_text("\n".join([*lines, "spark.sql.shuffle.partitions 2", f"spark.pyspark.driver.python {python}", options]))
    home = Path(pyspark.__file__).parent
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYSPARK_", "SPARK_"))}
    environment |= {"JAVA_HOME": str(find_java_home()), "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment |= {"SPARK_CONF_DIR": str(defaults.parent), "MASTER": CLUSTER, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    text = command.replace("program.py", shlex.join([str(RUNNER), *programs]))
    ended = subprocess.run(["bash", "-c", text], cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-6000:]
    assert f"{len(programs)} programs ended." in ended.stdout
    return ended.stdout


def _environment(folder: Path, *, has_ours: bool) -> Path:
    """Creates a virtual environment with links to the packages of this one; without ours unless ``has_ours``."""
    venv.create(folder, with_pip=False, symlinks=True)
    target = next((folder / "lib").glob("python*/site-packages"))
    for path in Path(pyarrow.__file__).parent.parent.iterdir():
        name = path.name.replace("-", "_")
        is_ours = name.startswith((*OURS, "__editable__", "_table", "_sql", "_connector")) or name.endswith(".pth")
        if not is_ours or has_ours:
            (target / path.name).symlink_to(path)
    return folder


def test_on_one_machine(folder: Path) -> None:
    output = _submit(_command("local[2]"), folder, options=f"spark.pyspark.python {sys.executable}")
    assert "master local[2]\n" in output
    assert "master of ours local[2]\n" in output


def test_on_a_cluster_with_wheels(folder: Path, tmp_path: Path) -> None:
    python = str(_environment(tmp_path / "bare", has_ours=False) / "bin" / "python")
    missing = subprocess.run([python, "-c", "import table_common"], capture_output=True, check=False)
    assert missing.returncode, "neither the driver nor the workers have the packages but by their wheels"
    for name in DISTRIBUTIONS:
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "wheels")]
        subprocess.run(build, cwd=ROOT / "packages" / name, check=True, capture_output=True)
    output = _submit(_command("--py-files"), folder, python, f"spark.pyspark.python {python}")
    assert f"master of ours {CLUSTER}\n" in output


def test_on_a_cluster_with_a_packed_environment(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(folder / "environment.tar.gz", "w:gz") as archive:
        archive.add(_environment(tmp_path / "packed", has_ours=True), ".")
    _submit(_command("--archives"), folder)
