"""Pickles functions for workers: installed modules by name, all others by value, so that workers need not have the user's files."""

from __future__ import annotations

import functools
import hashlib
import shutil
import sys
import sysconfig
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import SparkFiles, cloudpickle
from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.workers import DISTRIBUTIONS

_OURS = frozenset(DISTRIBUTIONS.values())
_LOCK = threading.Lock()
_SHIPPED: weakref.WeakKeyDictionary[SparkSession, set[str]] = weakref.WeakKeyDictionary()


def dumps(value: object, name: str) -> bytes:
    """Returns the pickled value; ``name`` is the function's name in messages.

    Raises:
        TableException: something in it cannot be pickled (an open file, a lock, a connection).
    """
    with _LOCK, _by_value():
        try:
            result: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
        except Exception as error:
            raise TableException(
                f"The function {name} cannot be sent to Spark's workers: {error}.",
                hint="Create connections, files and locks in open(), which runs in the worker.",
            ) from error
    return result


def ship_files(spark: SparkSession, paths: Sequence[str]) -> None:
    """Ships the files that functions import to the workers, each once; a folder as an archive."""
    with _LOCK:
        shipped = _SHIPPED.setdefault(spark, set())
        for path in reversed(paths):  # of equal names of modules, workers import that of the file shipped last
            if path not in shipped:
                file = Path(path)
                spark.addArtifacts(str(_archive(file)) if file.is_dir() else path, pyfile=True)
                shipped.add(path)


_BY_NAME = "spark-file:"
"""Prefix of the name that replaces a file's path for workers on other machines."""


def ship_cached_files(spark: SparkSession, files: Mapping[str, str]) -> dict[str, str]:
    """Ships cached files to the workers and returns names that ``local_files`` resolves there. On one machine the paths stay as they are."""
    if not adapter_of(spark).has_jvm:
        raise TableException(
            "Spark Connect does not ship cached files of functions.", hint="Read the file in open(), from a path that workers have."
        )
    master = spark.sparkContext.master or ""
    if master.startswith("local") and not master.startswith("local-cluster"):
        return dict(files)
    found = {}
    with _LOCK:
        shipped = _SHIPPED.setdefault(spark, set())
        for name, path in files.items():
            file = Path(path)
            # Spark identifies files by their names only.
            unique = f"{hashlib.sha256(f'{path}:{file.stat().st_mtime_ns}'.encode()).hexdigest()[:16]}-{file.name}"
            if unique not in shipped:
                _ship_cached(spark, file, unique)
                shipped.add(unique)
            found[name] = _BY_NAME + unique
    return found


def _ship_cached(spark: SparkSession, file: Path, unique: str) -> None:
    target = Path(tempfile.mkdtemp(prefix="table-cached-files-")) / unique
    if file.is_dir():
        spark.addArtifacts(f"{shutil.make_archive(str(target), 'zip', file)}#{unique}", archive=True)
    else:
        shutil.copyfile(file, target)
        spark.addArtifacts(str(target), file=True)


def local_files(files: Mapping[str, str]) -> dict[str, str]:
    """Returns the paths of cached files in this worker."""
    return {name: SparkFiles.get(path.removeprefix(_BY_NAME)) if path.startswith(_BY_NAME) else path for name, path in files.items()}


def _archive(folder: Path) -> Path:
    target = Path(tempfile.mkdtemp(prefix="table-python-files-")) / folder.name
    return Path(shutil.make_archive(str(target), "zip", folder))


@contextmanager
def _by_value() -> Iterator[None]:
    """Registers modules that workers may lack for pickling by value. Unregisters them afterwards, because the registry is global."""
    registry: Any = cloudpickle  # it has no annotations
    known = set(registry.list_registry_pickle_by_value())
    modules = [module for module in list(sys.modules.values()) if _travels_by_value(module) and module.__name__ not in known]
    marked = list({module.__name__: module for module in modules}.values())  # a module can have further names
    for module in marked:
        registry.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in marked:
            registry.unregister_pickle_by_value(module)


def _travels_by_value(module: ModuleType) -> bool:
    name = getattr(module, "__name__", None)
    file = getattr(module, "__file__", None)
    if not isinstance(name, str) or not isinstance(file, str) or name not in sys.modules or name == "__main__":
        return False
    if name.partition(".")[0] in (*_OURS, "pyspark", "py4j") or not file.endswith(".py"):
        return False  # spark-submit runs PySpark from archives in the folder of Spark
    return not any(Path(file).is_relative_to(root) for root in _installed_roots(tuple(sys.path)))


@functools.lru_cache(16)
def _installed_roots(search_path: tuple[str, ...]) -> tuple[Path, ...]:
    """Returns the folders of the standard library and all folders on the search path with installed distributions."""
    paths = sysconfig.get_paths()
    holding = [Path(entry) for entry in search_path if entry and next(Path(entry).glob("*.dist-info"), None) is not None]
    return (*(Path(paths[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib")), *holding)
