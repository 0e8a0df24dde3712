"""What is left of Spark's errors: what is wrong, without conditions, places in a text that nobody wrote, and stack traces."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException, PySparkException

from table_common.exceptions import TableException, TableRuntimeException
from table_planner_spark.errors import to_runtime_error, to_translation_error

_WORKER = """An error occurred while calling o60.getResult.
: org.apache.spark.SparkException: Exception thrown in awaitResult:
Caused by: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed
Caused by: java.lang.NullPointerException: Cannot invoke "session()"
\tat org.apache.spark.X.y(X.scala:1)
"""
_LOAD = """An error occurred while calling o69.load.
: org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "{}"
\tat org.apache.hadoop.fs.FileSystem.getFileSystemClass(FileSystem.java:3585)
"""
_SOURCE = """[PYTHON_DATA_SOURCE_ERROR] Failed to create Python data source instance: Traceback (most recent call last):
  File "x.py", line 1, in f
ModuleNotFoundError: No module named 'x'
 SQLSTATE: 38000"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[INVALID_NON_DETERMINISTIC_EXPRESSIONS] The operator expects a deterministic expression. SQLSTATE: 42K0E",
            r"^Spark cannot run this query: a join condition calls a non-deterministic function, such as RAND\.",
        ),
        (
            "[DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON] The lower bound of a window frame must be less. SQLSTATE: 42K09",
            r"^Spark cannot run this query: a window frame ends before it begins\.$",
        ),
        (
            "[DATATYPE_MISMATCH.NON_FOLDABLE_INPUT] the input `percentage` should be a foldable expression. SQLSTATE: 42K09",
            r"^Spark accepts only a constant as percentage of a function in this query\.$",
        ),
        (
            '[DATATYPE_MISMATCH.INVALID_ORDERING_TYPE] The `array_sort` does not support ordering on type "MAP". SQLSTATE: 42K09; line 1 pos 7',
            r'^Spark cannot run this query: The `array_sort` does not support ordering on type "MAP"\.$',
        ),
    ],
)
def test_query_that_spark_refuses(text: str, message: str) -> None:
    error = to_translation_error(AnalysisException(text))
    with pytest.raises(TableException, match=message):
        raise error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_WORKER, r'^Spark failed: NullPointerException: Cannot invoke "session\(\)"$'),
        (_LOAD.format("s3"), r"^Spark has no file system for 's3://'\."),
        (_LOAD.replace('FileSystem for scheme "{}"', "such class"), r"^Spark failed: UnsupportedFileSystemException: No such class$"),
        (_SOURCE, r"^A Python worker of Spark failed: No module named 'x'$"),
        (
            "[MALFORMED_RECORD_IN_PARSING] Malformed records are detected in record parsing: [{].\nParse Mode: FAILFAST.",
            r"^PARSE_JSON cannot read '{'\.",
        ),
        (
            (
                "[TASK_WRITE_FAILED] Task failed while writing rows to file:/t/0. SQLSTATE: 58030\n\tat org.apache.Task.run(Task.scala:9)\n"
                "Caused by: java.io.IOException: No space left on device\n\tat java.base/java.io.FileOutputStream.write(FileOutputStream.java:1)"
            ),
            r"^Task failed while writing rows to file:/t/0\. No space left on device$",
        ),
    ],
)
def test_job_that_fails(text: str, message: str) -> None:
    error = to_runtime_error(PySparkException(text))
    with pytest.raises(TableRuntimeException, match=message):
        raise error


def _upgrade(kind: str, message: str) -> PySparkException:
    text = "You may get a different result due to the upgrading to Spark >= 3.0:"
    return PySparkException(f"[INCONSISTENT_BEHAVIOR_CROSS_VERSION.{kind}] {text}\n{message} SQLSTATE: 42K0B")


def test_a_date_pattern_that_spark_does_not_know_is_named() -> None:
    error = _upgrade("DATETIME_PATTERN_RECOGNITION", "Fail to recognize 'yyyyyyyy' pattern in the DateTimeFormatter. 1) You can set \"x\"")
    message = str(to_runtime_error(error))
    assert message.startswith("Spark does not support the date pattern 'yyyyyyyy'.\nhint: ")
    assert "upgrading" not in message


def test_a_long_date_pattern_is_cut() -> None:
    error = _upgrade("DATETIME_PATTERN_RECOGNITION", f"Fail to recognize '{'y' * 4_000_000}' pattern in the DateTimeFormatter.")
    assert len(str(to_runtime_error(error))) < 300


def test_a_text_that_does_not_match_its_date_pattern_is_named() -> None:
    error = _upgrade("PARSE_DATETIME_BY_NEW_PARSER", "Fail to parse '2020-1' in the new parser.")
    assert str(to_runtime_error(error)) == "The text '2020-1' does not match its date pattern."
