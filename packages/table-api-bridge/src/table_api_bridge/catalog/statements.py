"""Runs catalog statements in Spark: quotes names and values, and converts errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from table_common.exceptions import CatalogException
from table_common.types import quote_identifier

SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException, Py4JError)
"""The errors of Spark calls: Spark's own, and Java errors that pass through."""
_REASON = re.compile(r"\[[A-Z][A-Z0-9_.]+\]\s*(.+?)(?:\s*SQLSTATE: \w+.*)?\s*$", re.MULTILINE)


def quoted(*parts: str) -> str:
    """Returns a name of one or more parts, each in back-ticks."""
    return ".".join(map(quote_identifier, parts))


def unquoted(name: str) -> str:
    """Returns a name without back-ticks; Spark lists names quoted if they need it."""
    return name[1:-1].replace("``", "`") if len(name) > 1 and name[0] == name[-1] == "`" else name


def text(value: str) -> str:
    """Returns a string literal of Spark SQL."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def pairs(values: Mapping[str, str]) -> str:
    """Returns ``('key' = 'value', …)``."""
    return "(" + ", ".join(f"{text(key)} = {text(value)}" for key, value in values.items()) + ")"


def run(spark: SparkSession, statement: str, doing: str) -> list[Any]:
    """Runs a statement and returns its rows; ``doing`` completes "Spark cannot …" in errors.

    Raises:
        CatalogException: Spark rejects it.
    """
    try:
        return spark.sql(statement).collect()
    except SPARK_ERRORS as error:
        raise CatalogException(f"Spark cannot {doing}: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Returns the message of a Spark error, without plan and stack trace."""
    reason = _REASON.search(str(error))
    if reason is not None:
        return reason[1]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
