"""Row-wise calls: the arguments are converted to lists, the function is mapped over them, and the results are converted to a column."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.functions import FunctionKind
from table_common.types import LogicalType
from table_runtime.udf.called_rows import Columns, with_called_rows
from table_runtime.udf.distinct_calls import once_per_value
from table_runtime.udf.errors import RAISED, call_failed, wrong_result
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.rows import rows_of_result
from table_runtime.udf.values import read_values, write_values


class RowwiseInvoker:
    """Calls a scalar or table function for each row; the result of a table function is a list of rows."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._readers = invocation.readers()
        self._arrow_type = to_arrow_type(invocation.output_type)
        self._is_table = invocation.definition.kind is FunctionKind.TABLE

    def __call__(self, columns: Columns, rows: int) -> pa.Array:
        """Returns the results. The calls hold the lock, because a function instance is used by one thread at a time.

        Raises:
            TableRuntimeException: a call failed or returned a value of another type than declared.
        """
        invocation = self._invocation
        with invocation.lock, invocation.in_use():
            if invocation.definition.is_deterministic:
                return with_called_rows(
                    columns, rows, invocation.skipping, self._arrow_type, lambda called, count: once_per_value(called, count, self._compute)
                )
            return with_called_rows(columns, rows, invocation.skipping, self._arrow_type, self._compute)

    def _compute(self, columns: Columns, rows: int) -> pa.Array:
        invocation = self._invocation
        function = invocation.function()
        lists = argument_lists(invocation, self._readers, columns)
        results: list[Any] = []
        try:
            if not lists:
                results.extend(function.eval() for _ in range(rows))
            elif self._is_table:
                for arguments in itertools.islice(zip(*lists, strict=False), rows):
                    results.append(rows_of_result(function, function.eval(*arguments), invocation.output_type))
            elif all(isinstance(values, itertools.repeat) for values in lists):
                results.extend(itertools.islice(map(function.eval, *lists), rows))
            else:
                results.extend(map(function.eval, *lists))
        except TableRuntimeException:
            raise
        except RAISED as error:
            row = len(results)
            raise call_failed(invocation.name, error, row + 1, row_arguments(lists, row), masked=invocation.masked) from error
        return results_column(invocation, results, lists)


def argument_lists(invocation: Invocation, readers: Sequence[Any], columns: Columns) -> list[Any]:
    """Returns the values of each argument: a list, or an endless iterator for a constant."""
    lists: list[Any] = []
    for position, (column, type_, convert) in enumerate(zip(columns, invocation.argument_types, readers, strict=True)):
        where = invocation.where(position)
        if isinstance(column, pa.Scalar):
            (value,) = read_values(
                pa.array([column.as_py()], column.type) if not column.is_valid else pa.repeat(column, 1), type_, convert, where
            )
            lists.append(itertools.repeat(value))
        else:
            lists.append(read_values(column, type_, convert, where))
    return lists


def row_arguments(lists: Sequence[Any], row: int) -> list[Any]:
    """Returns the arguments of one row, for messages."""
    return [next(values) if isinstance(values, itertools.repeat) else values[row] for values in lists]


def results_column(invocation: Invocation, results: Sequence[Any], lists: Sequence[Any], of: LogicalType | None = None) -> pa.Array:
    """Returns the results as a column; ``of`` is their type if they are a field of the result.

    Raises:
        TableRuntimeException: a result is not of the declared type; the message has the row and its arguments.
    """
    type_ = of or invocation.output_type
    where = f"the result of {invocation.name}"
    write = functools.partial(write_values, truncates_fractions=invocation.definition.truncates_fractions)
    try:
        return write(results, type_, where)
    except ValidationException as error:
        row = _first_wrong(results, lambda part: write(part, type_, where))
        try:
            write([results[row]], type_, where)
        except ValidationException as single:
            reason = single.message.partition(": ")[2] or single.message
            row_values = row_arguments(lists, row) if lists else None
            raise wrong_result(invocation.name, reason, row + 1, row_values, masked=invocation.masked) from error
        raise wrong_result(invocation.name, error.message, None, None, masked=invocation.masked) from error


def _first_wrong(results: Sequence[Any], write: Callable[[Sequence[Any]], object]) -> int:
    """Returns the position of the first value that is not of the type, by binary search, which is fast for large batches."""
    start, end = 0, len(results)
    while end - start > 1:
        middle = (start + end) // 2
        try:
            write(results[start:middle])
        except ValidationException:
            end = middle
        else:
            start = middle
    return start
