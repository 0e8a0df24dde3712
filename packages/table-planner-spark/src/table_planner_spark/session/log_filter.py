"""Keeps errors that we raise out of PySpark's logs: PySpark logs each error with its stack trace in addition to raising it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyspark.logger import PySparkLogger


class CallInterrupted(Exception):
    """Ends a call of Spark to this process, which Spark itself has interrupted: py4j would log it as an error."""


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


def _is_not_of_a_lost_connection(record: logging.LogRecord) -> bool:
    return _is_of_others(record) or record.module != "java_gateway"


def _is_no_interrupted_call(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, CallInterrupted)


logging.getLogger().addFilter(_is_not_of_a_lost_connection)  # py4j logs here, not to its own logger
logging.getLogger("py4j.clientserver").addFilter(_is_no_interrupted_call)
for _name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
    PySparkLogger.getLogger(_name).addFilter(_is_of_others)
