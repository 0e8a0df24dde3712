"""Ensures that Python workers on other machines can import our packages, in the versions of this process."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_planner_spark.session.adapters import adapter_of

DISTRIBUTIONS = {
    "table-common": "table_common",
    "table-api": "table_api",
    "table-runtime": "table_runtime",
    "table-api-bridge": "table_api_bridge",
    "table-planner-spark": "table_planner_spark",
}
NEEDED = ("numpy", "pyarrow", "typing-extensions")
_ASKED = 8
"""How many tasks ask the workers of a server, whose slots the client does not know."""
_CHECKED: weakref.WeakSet[object] = weakref.WeakSet()


def require_packages(spark: SparkSession) -> None:
    """Checks once per Spark application that workers have our packages, and ships these if their versions differ.

    Raises:
        TableException: the workers' Python has another version, or lacks packages that cannot be shipped; the hint says how to install them.
    """
    if not adapter_of(spark).has_jvm:
        return
    context = spark.sparkContext
    if context in _CHECKED:
        return
    master = context.master or ""
    if master.startswith("local") and "PYSPARK_PYTHON" not in os.environ and context.pythonExec == "python3":
        # Spark's default is whatever python3 is first on PATH; on one machine that should be this one.
        context.pythonExec = sys.executable
    if not master.startswith("local") or master.startswith("local-cluster") or not _is_this_python(context.pythonExec):
        wanted = {**{name: _version(name) for name in DISTRIBUTIONS}, "python": _python()}
        found = worker_versions(spark)
        for worker in found:
            if worker["python"] != wanted["python"]:
                raise TableException(
                    f"The workers run Python {worker['python']}, but this program runs {wanted['python']}.",
                    hint="Set spark.pyspark.python to the same version on all machines.",
                )
            missing = [name for name in NEEDED if worker[name] is None]
            if missing:
                raise TableException(
                    f"The Python of the workers lacks {', '.join(missing)}.", hint="On every worker: pip install table-planner-spark"
                )
        if any(worker[name] != wanted[name] for worker in found for name in DISTRIBUTIONS):
            ship_packages(spark)
    _CHECKED.add(context)


def require_packages_of_server(spark: SparkSession) -> None:
    """Checks that the workers of a server of Spark Connect have our packages in the versions of this process. They are not sent.

    Raises:
        TableException: they do not.
    """
    wanted = {**{name: _version(name) for name in DISTRIBUTIONS}, "python": _python()}
    for worker in _versions_on_server(spark):
        others = [
            f"{name} {wanted[name]} ({'missing' if worker[name] is None else worker[name]})"
            for name in ("python", *DISTRIBUTIONS)
            if worker[name] != wanted[name]
        ]
        if others:
            raise TableException(
                f"The workers of the Spark Connect server need what this program has: {', '.join(others)}.",
                hint="On the server and every worker: pip install table-planner-spark in the versions of this program.",
            )


def _is_this_python(command: str) -> bool:
    """Whether a command starts the interpreter of this process."""
    found = shutil.which(command)
    return found is not None and Path(found).absolute() == Path(sys.executable).absolute()


def worker_versions(spark: SparkSession) -> list[dict[str, str | None]]:
    """Runs a small job and returns the versions that the workers have, each distinct answer once."""
    names = (*DISTRIBUTIONS, *NEEDED)
    slots = max(2, spark.sparkContext.defaultParallelism)

    # Uses only the standard library and is pickled by value, so that it runs without our packages.
    def ask(_):  # type: ignore[no-untyped-def]
        import sys
        from importlib.metadata import PackageNotFoundError, version

        answer: dict[str, str | None] = {"python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
        for name in names:
            try:
                answer[name] = version(name)
            except PackageNotFoundError:
                answer[name] = None
        return [tuple(answer.items())]

    ask.__module__ = "__main__"
    found = spark.sparkContext.parallelize(range(slots), slots).mapPartitions(ask).distinct().collect()
    return [dict(pairs) for pairs in found]


def _versions_on_server(spark: SparkSession) -> list[dict[str, str | None]]:
    """Returns what ``worker_versions`` returns, for Spark Connect, where workers have pyarrow or run no function at all."""
    names = tuple(DISTRIBUTIONS)

    def ask(batches):  # type: ignore[no-untyped-def]
        import json
        import sys
        from importlib.metadata import PackageNotFoundError, version

        import pyarrow as pa

        for _ in batches:
            answer: dict[str, str | None] = {"python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
            for name in names:
                try:
                    answer[name] = version(name)
                except PackageNotFoundError:
                    answer[name] = None
            yield pa.record_batch({"answer": [json.dumps(answer)]})

    ask.__module__ = "__main__"
    found = spark.range(0, _ASKED, 1, _ASKED).mapInArrow(ask, "answer STRING").distinct().collect()
    return [json.loads(row[0]) for row in found]


def ship_packages(spark: SparkSession) -> None:
    """Sends our pure-Python packages to the workers as one archive."""
    folder = Path(tempfile.mkdtemp(prefix="table-packages-"))
    archive = folder / "table_packages.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, package in DISTRIBUTIONS.items():
            for inside, content in _files(name, package):
                target.writestr(inside, content)
    spark.sparkContext.addPyFile(str(archive))


def _files(name: str, package: str) -> Iterable[tuple[str, bytes]]:
    source = import_module(package).__file__
    assert source is not None
    root = Path(source).parent
    if root.parent.is_file():  # a wheel, which spark-submit has put on the path of the driver
        with zipfile.ZipFile(root.parent) as wheel:
            yield from ((inside, wheel.read(inside)) for inside in wheel.namelist())
        return
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{package}/{path.relative_to(root).as_posix()}", path.read_bytes()
    # The metadata has the version and the entry points.
    try:
        metadata = distribution(name)
    except PackageNotFoundError:
        return
    for file in metadata.files or ():
        if ".dist-info" in str(file) and Path(str(file)).name in ("METADATA", "entry_points.txt"):
            yield str(file), Path(str(metadata.locate_file(file))).read_bytes()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _python() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"
