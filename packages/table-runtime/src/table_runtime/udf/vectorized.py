"""Vectorized calls: the function takes and returns Arrow or pandas columns, once per batch."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import conform_array, to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.types import LogicalType, RowType, StructuredType
from table_runtime.udf.called_rows import Columns
from table_runtime.udf.errors import RAISED, call_failed, wrong_result
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.pandas_values import as_pandas, rows_of_pandas
from table_runtime.udf.rowwise import results_column


class VectorizedInvoker:
    """Calls a function over columns once per batch; the columns may contain NULLs."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._arrow_type = to_arrow_type(invocation.output_type)
        self._is_pandas = invocation.definition.func_type == "pandas"

    def __call__(self, columns: Columns, rows: int) -> pa.Array:
        """Returns the results.

        Raises:
            TableRuntimeException: the call failed, or the result has another number of rows or another type than declared.
        """
        invocation = self._invocation
        arguments: list[Any] = [as_column(column, rows) for column in columns]
        if self._is_pandas:
            arguments = [as_pandas(column, invocation.where(position)) for position, column in enumerate(arguments)]
        with invocation.lock, invocation.in_use():
            function = invocation.function()
            try:
                result = function.eval(*arguments)
            except RAISED as error:
                raise call_failed(invocation.name, error, None, None, masked=invocation.masked) from error
        return self._checked(result, rows)

    def _checked(self, result: Any, rows: int) -> pa.Array:
        invocation = self._invocation
        column = from_result(result, self._arrow_type, invocation, rows)
        if len(column) != rows:
            raise wrong_result(invocation.name, f"it returned {len(column)} values for {rows} rows.", None, None, masked=invocation.masked)
        if column.null_count and not invocation.output_type.nullable:
            raise wrong_result(
                invocation.name, f"it returned NULL, but {invocation.output_type} was declared.", None, None, masked=invocation.masked
            )
        return column


def as_column(column: pa.Array | pa.Scalar, rows: int) -> pa.Array:
    """Returns a constant as a column."""
    if not isinstance(column, pa.Scalar):
        return column
    return pa.repeat(column, rows) if column.is_valid and rows else pa.nulls(rows, column.type)


def from_result(result: Any, arrow_type: pa.DataType, invocation: Invocation, rows: int, of: LogicalType | None = None) -> pa.Array:
    """Returns the result of a vectorized function as a column of the declared type; ``of`` is the type if it is not the whole result."""
    name, output_type = invocation.name, of or invocation.output_type
    if isinstance(result, pa.ChunkedArray):
        result = result.combine_chunks()
    if isinstance(result, pa.Scalar):
        result = as_column(result, rows)
    if hasattr(result, "dtype") and getattr(result, "ndim", 1) == 1 and result.dtype != object:
        result = pa.array(result, from_pandas=True)  # without the declared type, for which Arrow would parse strings
        result = result.combine_chunks() if isinstance(result, pa.ChunkedArray) else result
    if not isinstance(result, pa.Array):
        if not hasattr(result, "__len__") or isinstance(result, (str, bytes)):
            expected = "a pandas.Series" if invocation.definition.func_type == "pandas" else "a pyarrow.Array"
            reason = f"it returned {type(result).__name__}, but a vectorized function must return {expected}."
            raise wrong_result(name, reason, None, None, masked=invocation.masked)
        if hasattr(result, "itertuples") and pa.types.is_struct(arrow_type):
            return _of_frame(result, arrow_type, invocation, output_type, rows)
        if pa.types.is_nested(arrow_type) or (pa.types.is_integer(arrow_type) and _may_be_numbers(result)):
            # Arrow would truncate floats.
            return results_column(invocation, rows_of_pandas(result, output_type), [], output_type)
        try:
            result = pa.array(result, arrow_type, from_pandas=True)
        except (pa.ArrowException, TypeError, OverflowError, ValueError) as error:
            actual = _inferred(result)
            declared = f"{output_type} was declared"
            reason = f"{declared}: {error}." if actual is None else f"it returned a column of {actual}, but {declared}."
            raise wrong_result(name, reason, None, None, masked=invocation.masked) from error
        if isinstance(result, pa.ChunkedArray):
            result = result.combine_chunks()
    if result.type == arrow_type:
        return conform_array(result, output_type.with_nullability(True), f"The result of {name}")  # cuts times to their digits
    reason = f"it returned a column of {result.type}, but {output_type} was declared"
    if _family(result.type) not in (_family(arrow_type), "null"):
        raise wrong_result(name, f"{reason}.", None, None, masked=invocation.masked)
    try:
        if _differ_in_unit(result.type, arrow_type):
            return conform_array(result, output_type.with_nullability(True), f"The result of {name}")
        return _cast(result, arrow_type)
    except (pa.ArrowException, ValueError, TableRuntimeException) as error:
        raise wrong_result(name, f"{reason}: {error}", None, None, masked=invocation.masked) from error


def _of_frame(frame: Any, arrow_type: pa.DataType, invocation: Invocation, output_type: LogicalType, rows: int) -> pa.Array:
    """Returns the columns of a DataFrame, by their positions, as rows."""
    assert isinstance(output_type, (RowType, StructuredType))
    field_types = output_type.field_types
    if len(frame.columns) != len(field_types):
        reason = f"it returned a DataFrame of {len(frame.columns)} columns, but {output_type} was declared."
        raise wrong_result(invocation.name, reason, None, None, masked=invocation.masked)
    columns = [
        from_result(frame.iloc[:, position], field.type, invocation, rows, of=field_types[position])
        for position, field in enumerate(arrow_type)
    ]
    return pa.StructArray.from_arrays(columns, fields=list(arrow_type))


def _cast(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Casts a column without a loss.

    Raises:
        ValueError: a value would change.
    """
    types = pa.types
    if types.is_decimal(arrow_type) and types.is_integer(column.type):
        return pc.cast(pc.cast(column, pa.decimal128(38, 0)), arrow_type)
    cast = pc.cast(column, arrow_type)
    is_date_of_timestamp = types.is_date(arrow_type) and types.is_timestamp(column.type)
    if (types.is_decimal(arrow_type) and types.is_floating(column.type)) or types.is_boolean(arrow_type) or is_date_of_timestamp:
        # Arrow would round numbers, drop times, and make any number TRUE.
        changed = pc.filter(column, pc.fill_null(pc.not_equal(pc.cast(cast, column.type), column), False))
        if len(changed):
            raise ValueError(f"{changed[0]} would change.")
    return cast


def _differ_in_unit(type_: pa.DataType, target: pa.DataType) -> bool:
    if pa.types.is_timestamp(type_) and pa.types.is_timestamp(target):
        return (type_.tz is None) == (target.tz is None)
    return bool(pa.types.is_time(type_) and pa.types.is_time(target))


def _may_be_numbers(result: Any) -> bool:
    inferred = _inferred(result)
    return inferred is None or _family(inferred) in ("number", "null")


def _inferred(result: Any) -> pa.DataType | None:
    """Returns the inferred type of a column of Python objects (pandas before version 3 has texts as such); None if there is none."""
    if not hasattr(result, "dtype"):
        return None
    try:
        return pa.array(result, from_pandas=True).type
    except (pa.ArrowException, TypeError, ValueError):
        return None


def _family(type_: pa.DataType) -> str:
    """Returns the family of a type; types of one family are cast implicitly, because pandas, for example, stores integers with NULLs as floats."""
    types = pa.types
    if types.is_dictionary(type_):
        return _family(type_.value_type)
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_boolean(type_):
        return "number"
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "text"
    if types.is_binary(type_) or types.is_large_binary(type_) or types.is_fixed_size_binary(type_) or types.is_binary_view(type_):
        return "bytes"
    if types.is_timestamp(type_) or types.is_date(type_):
        return "date"
    if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
        return "list"
    return str(type_).partition("[")[0].partition("<")[0]
