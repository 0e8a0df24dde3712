"""Passes Spark's options to a new JVM in a file that only its owner can read.

Every user of the machine can read the command line of a process (``ps``), and options may contain passwords of key stores and file systems.
Options of Java itself (``spark.driver.extraJavaOptions``) are on the command line in any case.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from table_common.secrets import open_private

_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_FILE = "--properties-file"


@contextmanager
def options_in_a_file(options: Iterable[tuple[str, str]], folder: Path) -> Iterator[None]:
    """Makes a ``spark-submit`` that is started inside the block read the options from a file, which is deleted afterwards.

    ``spark-defaults.conf`` and a properties file that ``PYSPARK_SUBMIT_ARGS`` names are read too; these options override them.
    """
    before = os.environ.get(_ARGUMENTS)
    others, arguments = _without_file(shlex.split(before or "pyspark-shell"))
    file = folder / "spark.properties"
    with open_private(file) as output:
        output.write(others + properties_text(options))
    os.environ[_ARGUMENTS] = shlex.join([_FILE, str(file), "--load-spark-defaults", *arguments])
    try:
        yield
    finally:
        if before is None:
            del os.environ[_ARGUMENTS]
        else:
            os.environ[_ARGUMENTS] = before
        file.unlink(missing_ok=True)


def properties_text(options: Iterable[tuple[str, str]]) -> str:
    """Returns the options in the format of Java's properties files."""
    return "".join(f"{_escaped(key)}={_escaped(value)}\n" for key, value in options)


def _escaped(text: str) -> str:
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(chr(unit) if chr(unit).isascii() and chr(unit).isalnum() else f"\\u{unit:04x}" for unit in units)


def _without_file(arguments: list[str]) -> tuple[str, list[str]]:
    """Returns the text of the properties file that the arguments name, and the arguments without it."""
    text, kept = "", []
    remaining = iter(arguments)
    for argument in remaining:
        name, equals, value = argument.partition("=")
        if name != _FILE:
            kept.append(argument)
            continue
        file = Path(value if equals else next(remaining, ""))
        text += file.read_text(encoding="utf-8") + "\n" if file.is_file() else ""
    return text, kept
