"""What PySpark's loggers write of errors."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
from pyspark.logger import PySparkLogger

from table_planner_spark.session.log_filter import quiet_logs


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.addHandler(handler)
    yield text
    logger.removeHandler(handler)


def test_errors_of_our_statements_are_not_logged(written: io.StringIO) -> None:
    with quiet_logs():
        PySparkLogger.getLogger("SQLQueryContextLogger").error("ours")
    assert written.getvalue() == ""


def test_errors_of_the_program_are_logged_as_before(written: io.StringIO) -> None:
    PySparkLogger.getLogger("SQLQueryContextLogger").error("theirs")
    assert "theirs" in written.getvalue()


def test_what_py4j_writes_of_a_lost_connection_is_not_logged() -> None:
    record = logging.LogRecord("root", logging.ERROR, "/py4j/java_gateway.py", 1, "Exception while sending command.", (), None)
    with quiet_logs():
        assert not logging.getLogger().filter(record)
    assert logging.getLogger().filter(record)
