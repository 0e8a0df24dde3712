"""Window assignment, for the window table functions of FROM and the window functions of GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import Session
from table_api.operations import WINDOW_COLUMNS, QueryOperation, WindowAssigner, WindowTableFunctionQueryOperation
from table_common.configuration import ExecutionConfigOptions
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import arithmetic
from table_common.types import DayTimeIntervalType, is_proctime, is_time_attribute

_NANOS = 1_000_000
"""Nanoseconds, in which intervals are written, of a millisecond."""


def window_table(
    session: Session,
    child: QueryOperation,
    window: WindowAssigner,
    time: FieldReferenceExpression,
    partition_by: Sequence[FieldReferenceExpression] = (),
    names: tuple[str, str, str] = WINDOW_COLUMNS,
) -> QueryOperation:
    """Returns the child's rows with their windows assigned.

    Raises:
        ValidationException: the time column has another type, or is not a time attribute in streaming mode.
        TableException: the window is not supported in this mode.
    """
    operation = WindowTableFunctionQueryOperation(child, window, time, tuple(partition_by), names)
    if is_proctime(time.output_type) and not session.is_streaming_mode:
        raise TableException(
            f"{window.FUNCTION} over processing time, as column '{time.name}' has it, is for streaming mode, but this session is in batch mode.",
            hint="use a column with the event time",
        )
    if session.is_streaming_mode and not is_time_attribute(time.output_type):
        given = f"an expression has type {time.output_type}" if time.name.startswith("$") else f"column '{time.name}' is {time.output_type}"
        raise ValidationException(
            f"{window.FUNCTION} needs a time attribute in streaming mode, but {given}.",
            hint="use a column for which the table declares a WATERMARK, as it is: an expression, a CAST or an aggregate of it is not a time attribute; "
            "above another window, use its column window_time",
        )
    if (
        not window.is_aligned
        and not session.is_streaming_mode
        and not session.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SESSION_WINDOWS_IN_BATCH)
    ):
        raise ValidationException(
            "SESSION windows are for streaming mode, as in Flink, but this session is in batch mode.",
            hint=f"SET '{ExecutionConfigOptions.TABLE_EXEC_SESSION_WINDOWS_IN_BATCH.key}' = 'true' allows them in batch mode",
        )
    return operation


def length_of(expression: ResolvedExpression, window: type[WindowAssigner], name: str) -> int:
    """Returns the length of a window argument in milliseconds.

    Raises:
        ValidationException: it is not a constant day-time interval.
    """
    sign = 1
    if isinstance(expression, CallExpression) and expression.function is arithmetic.NEGATE:
        (expression,), sign = expression.args, -1
    is_interval = isinstance(expression.output_type, DayTimeIntervalType)
    if not is_interval or not isinstance(expression, ValueLiteralExpression) or expression.value is None:
        raise ValidationException(
            f"The {name.lower()} of {window.FUNCTION} is a constant interval of days, hours, minutes or seconds, but got {expression}"
            + (f" of type {expression.output_type.summary()}." if not is_interval else "."),
            hint="write it as INTERVAL '10' MINUTES",
        )
    length, rest = divmod(int(expression.value), _NANOS)
    if rest:
        raise ValidationException(f"The {name.lower()} of {window.FUNCTION} is a whole number of milliseconds, but got {expression}.")
    return sign * length
