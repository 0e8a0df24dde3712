"""Translates Spark's errors to ours: the message is the line that states the cause, never a stack trace."""

from __future__ import annotations

import re

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException, ParseException, PySparkException

from table_common.exceptions import TableError, TableException, TableInternalError, TableRuntimeException
from table_common.functions import MAX_VALUE_SIZE, null_map_key
from table_planner_spark.worker_errors import BEFORE_HINT, LOST_WORKER, find_carried_error

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]\s*(.+?)(?:\s*SQLSTATE: \w+)?\s*$", re.MULTILINE)
_PYTHON_LINE = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception)): (.+)$", re.MULTILINE)
_PLACE = re.compile(r"^\[[A-Z0-9_.]+\] |\s*Please, refer to '[^']*' for a fix\.?|\s*SQLSTATE: \w+.*$|; line \d+,? pos \d+.*$")
"""The parts of Spark's messages that are removed: names of error conditions, links to documentation, and positions in generated SQL."""
_USER_CODE = re.compile(r"TableRuntimeException: (The (?:function|Python callable) .+?)(?=\n\s*\tat |\n\s*at |\n\n|\Z)", re.DOTALL)
"""Messages about user functions and callables, with the traceback of the user's code."""
_OURS = re.compile(r"^table_common\.exceptions\.(TableRuntimeException|TableException): (.+)(?:\nhint: (.+))?", re.MULTILINE)
"""Messages of our readers and writers in Python workers. They may quote data, so they are matched before Spark's own patterns."""
_ADVICE = re.compile(r"\s*(?:If necessary set|Use `try_|Use 'try_|Correct the value|To return NULL instead|Use `get`)[^\n]*")
_MEANINGLESS = (
    "An error occurred while calling",
    ": ",
    "Job aborted",
    "Task failed",
    "Exception thrown in",
    "at ",
    "\tat ",
    "Driver stacktrace",
    "Traceback",
)
_MESSAGES = {
    "ARITHMETIC_OVERFLOW": "The result of an arithmetic operation does not fit into its type (overflow).",
    "BINARY_ARITHMETIC_OVERFLOW": "The result of an arithmetic operation does not fit into its type (overflow).",
    "DIVIDE_BY_ZERO": "Division by zero.",
    "REMAINDER_BY_ZERO": "Division by zero.",
}
_ARGUMENT = re.compile(r"the input `(\w+)`")
_CAUSE = re.compile(r"^(?:Caused by)?: (?:[a-z]\w*\.)*(\w+)(?:: (.+))?$", re.MULTILINE)
"""The class and text of a failure inside Spark; the last is the innermost."""
_MALFORMED = re.compile(r"Malformed records are detected in record parsing: \[(.*?)\]\.", re.DOTALL)
_DATE_PATTERN = re.compile(r"Fail to recognize '(.*?)' pattern in the DateTimeFormatter", re.DOTALL)
_DATE_TEXT = re.compile(r"Fail to parse '(.*?)' in the new parser", re.DOTALL)
"""The details that follow a first line about versions of Spark."""
_LONGEST_SHOWN = 100
"""The most characters of a text from the data that a message quotes."""
_NO_FILE_SYSTEM = re.compile(r'No FileSystem for scheme "?([\w+.-]+)')
_TOO_LARGE = "spark.driver.maxResultSize"
_NO_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError(?:: (.+))?")
_LARGE_VALUE = re.compile(
    r"ArithmeticException: integer overflow\s+(?:at java\.\S+\s+)*at org\.apache\.spark\.(?:unsafe|sql\.catalyst\.expressions\.codegen)\."
    r"|NegativeArraySizeException|Requested array size exceeds VM limit|Required (?:array )?length exceeds|Cannot grow (?:BufferHolder|internal buffer)"
    r"|\[COLLECTION_SIZE_LIMIT_EXCEEDED"
)
"""Failures of the JVM and of Spark when a string or an array exceeds 2,147,483,647 bytes or elements."""


def is_result_too_large(error: BaseException) -> bool:
    """Returns whether a result did not fit into the driver at once."""
    return _TOO_LARGE in str(error)


def to_runtime_error(error: BaseException, task: str = "a task") -> TableError:
    """Returns the error of a job that failed while it ran; ``task`` is what the task that failed did, if that is known."""
    if isinstance(error, TableError):
        return error
    text = str(error)
    carried = find_carried_error(text)
    if carried is not None:
        return carried
    ours = _USER_CODE.search(text)
    if ours is not None:
        return TableRuntimeException(ours.group(1).strip())
    said = _OURS.findall(text)
    if said:
        name, message, hint = said[-1]
        kind = TableException if name == "TableException" else TableRuntimeException
        return kind(message.strip(), hint=hint.strip() or None)
    if _LARGE_VALUE.search(text) is not None:
        return TableRuntimeException(
            f"A function would create a value of more than 2,147,483,647 bytes, but a value may have {MAX_VALUE_SIZE:,}.",
            hint="Functions such as JSON_OBJECT, ARRAY_JOIN and COLLECT combine many values into one.",
        )
    if LOST_WORKER in text:
        return TableRuntimeException(
            f"A Python worker of Spark ended while it ran {task}.",
            hint="The system ends processes if memory is short (spark.executor.memoryOverhead); or a function or a library ended or crashed its process.",
        )
    no_memory = _NO_MEMORY.search(text)
    if no_memory is not None:
        return TableRuntimeException(
            f"Spark has no memory left ({no_memory.group(1) or 'OutOfMemoryError'}).",
            hint="Increase spark.driver.memory or spark.executor.memory, or process less data at once.",
        )
    scheme = _NO_FILE_SYSTEM.search(text)
    if scheme is not None:
        return _no_file_system(scheme[1])
    of_dates = _date_error(text)
    if of_dates is not None:
        return of_dates
    matches = _CONDITION.findall(text)
    for condition, _ in matches:
        if condition == "NULL_MAP_KEY":
            return null_map_key()
        if condition in _MESSAGES:
            return TableRuntimeException(_MESSAGES[condition], hint=_hint(condition))
    python = _PYTHON_LINE.findall(text)
    if python and matches and matches[-1][1].endswith("Traceback (most recent call last):"):
        return TableRuntimeException(f"A Python worker of Spark failed: {python[-1][1].strip()}")
    json = _MALFORMED.search(text)
    if json is not None:
        of_file = [_clean(message) for condition, message in matches if condition.startswith("FAILED_READ_FILE")]
        if of_file:
            return TableRuntimeException(f"{of_file[-1]} A record is malformed: {json[1]}.")
        return TableRuntimeException(f"PARSE_JSON cannot read '{json[1]}'.", hint="TRY_PARSE_JSON returns NULL for such text.")
    # The innermost condition is the cause; those around it say that a task failed.
    for condition, message in reversed(matches):
        if not condition.startswith(("FAILED_EXECUTE_UDF", "TASK_WRITE_FAILED", "FAILED_READ_FILE")):
            said_by_us, _, hint = message.partition(BEFORE_HINT)
            return TableRuntimeException(_clean(said_by_us), hint=hint or _hint(condition))
    if python:
        return TableRuntimeException(python[-1][1].strip())
    causes = _CAUSE.findall(text)
    if matches:
        reason = causes[-1][1].strip() if causes else ""
        return TableRuntimeException(f"{_clean(matches[-1][1])}{f' {reason}' if reason and reason not in matches[-1][1] else ''}")
    if not isinstance(error, (PySparkException, Py4JError)):
        return TableRuntimeException(f"{type(error).__name__}: {error}")
    if causes:
        name, message = causes[-1]
        return TableRuntimeException(f"Spark failed: {name}{f': {message.strip()}' if message else ''}")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    meaningful = next((line for line in lines if not line.startswith(_MEANINGLESS)), lines[0] if lines else type(error).__name__)
    return TableRuntimeException(meaningful)


def _no_file_system(scheme: str) -> TableError:
    return TableRuntimeException(
        f"Spark has no file system for '{scheme}://'.",
        hint="add the library that has it to the session, with the option 'spark.jars.packages'",
    )


def _date_error(text: str) -> TableError | None:
    """Returns the error for a date pattern that Spark does not support or a text that does not match one; None for other failures."""
    if "INCONSISTENT_BEHAVIOR_CROSS_VERSION" not in text:
        return None
    pattern = _DATE_PATTERN.search(text)
    if pattern is not None:
        return TableRuntimeException(
            f"Spark does not support the date pattern '{_shown(pattern[1])}'.",
            hint="Use pattern letters as in yyyy-MM-dd HH:mm:ss. Each letter may be repeated only a few times.",
        )
    value = _DATE_TEXT.search(text)
    return None if value is None else TableRuntimeException(f"The text '{_shown(value[1])}' does not match its date pattern.")


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def analysis_message(error: BaseException) -> str:
    """Returns the reason why Spark's analyzer, or the Hive function that it asked, rejects a call."""
    origin = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    deepest = None
    while origin is not None:
        deepest, origin = origin, origin.getCause()
    # Spark reports only that Hive rejected the call; the reason is in the innermost cause.
    is_of_hive = "HIVE" in str(error) or not isinstance(error, PySparkException)
    text = str(deepest.getMessage() or "") if deepest is not None and is_of_hive else str(error)
    lines = [line for line in text.splitlines() if line.strip()]
    return _clean(_PLACE.sub("", lines[0])) if lines else type(error).__name__


def to_translation_error(error: Exception) -> TableError:
    """Returns the error for a query that passed our validation but that Spark's analyzer rejects."""
    if isinstance(error, TableError):
        return error
    matches = _CONDITION.findall(str(error))
    condition, message = matches[-1] if matches else ("", str(error).splitlines()[0] if str(error) else type(error).__name__)
    if condition.startswith(("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")):
        return TableRuntimeException(_clean(message))
    if condition.startswith(("UNSUPPORTED_FEATURE", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE")):
        return TableException(f"Spark cannot run this query: {_clean(_PLACE.sub('', message))}")
    if condition.startswith("INVALID_NON_DETERMINISTIC_EXPRESSIONS"):
        return TableException(
            "Spark cannot run this query: a join condition calls a non-deterministic function, such as RAND.",
            hint="Compute it as a column of a subquery in FROM.",
        )
    if condition == "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON":
        return TableException("Spark cannot run this query: a window frame ends before it begins.")
    if condition == "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT":
        name = _ARGUMENT.search(message)
        return TableException(f"Spark accepts only a constant as {name[1] if name else 'an argument'} of a function in this query.")
    if condition == "FAILED_TO_PARSE_TOO_COMPLEX" or "Max iterations (" in str(error):
        return TableException(
            "Spark cannot parse this query: its expressions or subqueries are nested too deeply.",
            hint="Write a part of it into a table, or increase Spark's stack size (spark.driver.extraJavaOptions=-Xss16m).",
        )
    if isinstance(error, (AnalysisException, ParseException)):
        return TableInternalError(f"Spark does not accept the translated query: {_clean(message)}")
    return to_runtime_error(error)


def _clean(message: str) -> str:
    return _ADVICE.sub("", message).strip()


def _hint(condition: str) -> str | None:
    if condition in ("CAST_INVALID_INPUT", "CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"):
        return "TRY_CAST returns NULL if a value cannot be cast."
    if condition in ("ARITHMETIC_OVERFLOW", "BINARY_ARITHMETIC_OVERFLOW"):
        return "CAST the operands to a wider type first."
    return None
