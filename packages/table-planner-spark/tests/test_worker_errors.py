"""Errors on their way from a worker to the driver."""

from __future__ import annotations

import traceback

import pytest

from table_common.exceptions import TableError, TableException, TableRuntimeException, ValidationException
from table_planner_spark.errors import to_runtime_error, to_translation_error
from table_planner_spark.worker_errors import carrying_errors, find_carried_error, is_failure_of_system


class OwnError(ValidationException):
    """A connector's own."""


def carried(error: Exception) -> TableError:
    try:
        with carrying_errors("Reading t"):
            raise error
    except Exception as raised:
        return to_runtime_error(RuntimeError(f"Job aborted\n{''.join(traceback.format_exception(raised))}\n\tat java.lang.Thread.run"))


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (TableRuntimeException("Zeile 3:\n\tä", hint="mend it"), TableRuntimeException, "Zeile 3:\n\tä\nhint: mend it"),
        (OwnError("wrong option"), ValidationException, "wrong option"),
        (OSError("no route"), TableRuntimeException, "Reading t failed: OSError: no route"),
    ],
)
def test_an_error_arrives_with_class_text_and_hint(error: Exception, kind: type[TableError], text: str) -> None:
    found = carried(error)
    assert (type(found), str(found)) == (kind, text)


def test_other_text_carries_no_error() -> None:
    assert find_carried_error("[table-error:]") is None


def test_out_of_memory_in_spark_is_a_clear_error() -> None:
    error = to_runtime_error(RuntimeError("Job aborted\n\tat x\nCaused by: java.lang.OutOfMemoryError: Java heap space\n\tat y"))
    assert error.message == "Spark has no memory left (Java heap space)."


def test_what_is_too_complex_for_the_parser_of_spark_is_no_bug() -> None:
    message = "[FAILED_TO_PARSE_TOO_COMPLEX] The statement was too complex to parse.\nTo mitigate this error divide it. SQLSTATE: 54001"
    error = to_translation_error(RuntimeError(message))
    assert isinstance(error, TableException)
    assert "nested too deep" in str(error)


@pytest.mark.parametrize(("error", "is_of_system"), [(ConnectionError("reset"), True), (ValueError("wrong"), False)])
def test_the_text_says_whether_a_repetition_may_succeed(error: Exception, is_of_system: bool) -> None:
    with pytest.raises(Exception, match="table-error") as caught, carrying_errors("Reading t"):
        raise error
    assert is_failure_of_system(str(caught.value)) is is_of_system


def test_a_worker_that_ended_is_named() -> None:
    error = to_runtime_error(RuntimeError("SparkException: Python worker exited unexpectedly (crashed)\nCaused by: java.io.EOFException"))
    assert error.message == "A Python worker of Spark ended while it ran a task."


def test_lost_processes_are_failures_of_the_system() -> None:
    assert is_failure_of_system("Job aborted: ExecutorLostFailure (executor 1 exited)")
    assert is_failure_of_system("java.io.IOException: Stream closed\n\tat org.apache.spark.api.python.PythonWorkerFactory")
    assert not is_failure_of_system("[UNRESOLVED_COLUMN] a")
