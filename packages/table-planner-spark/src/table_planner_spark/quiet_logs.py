"""PySpark logs each error as a line of JSON with its stack trace, beside raising it; ours are raised only."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyspark.logger import PySparkLogger

__all__ = ["quiet_logs"]

_is_ours: ContextVar[bool] = ContextVar("_is_ours", default=False)


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Keeps errors of the block, in this thread, out of PySpark's logs."""
    token = _is_ours.set(True)
    try:
        yield
    finally:
        _is_ours.reset(token)


def _is_of_others(record: logging.LogRecord) -> bool:
    return not _is_ours.get()


for _name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
    PySparkLogger.getLogger(_name).addFilter(_is_of_others)
