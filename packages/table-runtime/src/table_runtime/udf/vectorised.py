"""Vectorised calls: the function takes and returns Arrow or pandas columns, once per batch."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException
from table_runtime.udf.called_rows import Columns
from table_runtime.udf.errors import call_failed, wrong_result
from table_runtime.udf.invocation import Invocation

__all__ = ["VectorisedInvoker", "as_pandas", "from_result"]


class VectorisedInvoker:
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
            arguments = [as_pandas(column) for column in arguments]
        with invocation.lock, invocation.in_use():
            function = invocation.function()
            try:
                result = function.eval(*arguments)
            except Exception as error:
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


def as_pandas(column: pa.Array) -> Any:
    """Returns a column as a ``pandas.Series``, rows as a ``pandas.DataFrame``.

    Raises:
        TableException: pandas is not installed.
    """
    try:
        return pa.RecordBatch.from_struct_array(column).to_pandas() if pa.types.is_struct(column.type) else column.to_pandas()
    except (ImportError, ModuleNotFoundError) as error:
        raise TableException(
            "A function of the type 'pandas' needs pandas.",
            hint="pip install 'table-runtime[pandas]'; func_type='arrow' does not need it.",
        ) from error


def from_result(result: Any, arrow_type: pa.DataType, invocation: Invocation, rows: int) -> pa.Array:
    """Returns the result of a vectorised function as a column of the declared type."""
    name = invocation.name
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
            reason = f"it returned {type(result).__name__}, but a vectorised function must return {expected}."
            raise wrong_result(name, reason, None, None, masked=invocation.masked)
        try:
            result = pa.array(_rows(result, arrow_type), arrow_type, from_pandas=True)
        except (pa.ArrowException, TypeError, OverflowError, ValueError) as error:
            actual = _inferred(result)
            declared = f"{invocation.output_type} was declared"
            reason = f"{declared}: {error}." if actual is None else f"it returned a column of {actual}, but {declared}."
            raise wrong_result(name, reason, None, None, masked=invocation.masked) from error
        if isinstance(result, pa.ChunkedArray):
            result = result.combine_chunks()
    if result.type == arrow_type:
        return result
    reason = f"it returned a column of {result.type}, but {invocation.output_type} was declared"
    if _family(result.type) not in (_family(arrow_type), "null"):
        raise wrong_result(name, f"{reason}.", None, None, masked=invocation.masked)
    try:
        return pc.cast(result, arrow_type)
    except (pa.ArrowException, ValueError) as error:
        raise wrong_result(name, f"{reason}: {error}", None, None, masked=invocation.masked) from error


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
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
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


def _rows(result: Any, arrow_type: pa.DataType) -> Any:
    """Returns the rows of a DataFrame if rows are declared; other results unchanged."""
    if pa.types.is_struct(arrow_type) and hasattr(result, "itertuples"):
        names = [field.name for field in arrow_type]
        return [dict(zip(names, row, strict=True)) for row in result.itertuples(index=False, name=None)]
    return result
