"""Statements about catalogs, run by Spark: names quoted, errors as ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from table_common.exceptions import CatalogException
from table_common.types import quote_identifier

__all__ = ["SPARK_ERRORS", "first_line", "pairs", "quoted", "run", "text", "unquoted"]

SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException, Py4JError)
"""What calls of Spark raise: its own errors, and those of Java that it lets through."""
_REASON = re.compile(r"\[[A-Z][A-Z0-9_.]+\]\s*(.+?)(?:\s*SQLSTATE: \w+.*)?\s*$", re.MULTILINE)


def quoted(*parts: str) -> str:
    """Returns a name of several parts, each in back-ticks."""
    return ".".join(map(quote_identifier, parts))


def unquoted(name: str) -> str:
    """Returns a name as it is: Spark lists those that need back-ticks with them."""
    return name[1:-1].replace("``", "`") if len(name) > 1 and name[0] == name[-1] == "`" else name


def text(value: str) -> str:
    """Returns a text as a literal of Spark SQL."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def pairs(values: Mapping[str, str]) -> str:
    """Returns ``('key' = 'value', …)``."""
    return "(" + ", ".join(f"{text(key)} = {text(value)}" for key, value in values.items()) + ")"


def run(spark: SparkSession, statement: str, doing: str) -> list[Any]:
    """Runs a statement and returns its rows; ``doing`` completes "Spark cannot …" in errors.

    Raises:
        CatalogException: Spark refuses it.
    """
    try:
        return spark.sql(statement).collect()
    except SPARK_ERRORS as error:
        raise CatalogException(f"Spark cannot {doing}: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Returns what an error of Spark says, without its plan and stack."""
    reason = _REASON.search(str(error))
    if reason is not None:
        return reason[1]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
