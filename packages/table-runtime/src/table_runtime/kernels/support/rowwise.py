"""Kernels of Python functions, called once per distinct combination of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression
from table_runtime.casts import map_distinct
from table_runtime.columns.plain_types import from_plain, to_plain
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, KernelFunction, to_array


def python(function: Callable[..., Any], *, fails: bool = False, takes_null: bool = False) -> Kernel:
    """Returns a kernel that calls a pure function of Python values.

    Args:
        function: takes one value per argument and returns the result; None is NULL, which is an error if the call's type is NOT NULL.
        fails: whether it raises an error for some arguments.
        takes_null: whether it is called with NULLs; otherwise a NULL argument gives NULL without a call.
    """
    return Kernel(rows_function(function, takes_null=takes_null), lambda call: not fails and call.output_type.nullable)


def rows_function(function: Callable[..., Any], *, takes_null: bool = False) -> KernelFunction:
    """Returns the kernel function of ``python``, for kernels that state otherwise whether they can fail."""

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        result = apply_rows(function, args, to_arrow_type(call.output_type), num_rows, takes_null=takes_null)
        if not call.output_type.nullable and (not result.is_valid if isinstance(result, pa.Scalar) else result.null_count):
            raise TableRuntimeException(f"{call.function.name} has no result for these arguments, but its type is NOT NULL.")
        return result

    return run


def apply_rows(function: Callable[..., Any], args: Sequence[Any], arrow_type: Any, num_rows: int, *, takes_null: bool = False) -> Any:
    """Returns the results as an array, or as a scalar if all arguments are scalars. Nanosecond types are passed as integers."""
    args = [to_plain(arg) for arg in args]
    if all(isinstance(arg, pa.Scalar) for arg in args):
        values = [arg.as_py() for arg in args]
        is_called = takes_null or all(value is not None for value in values)
        return from_plain([function(*values) if is_called else None], arrow_type)[0]
    if not takes_null and any(isinstance(arg, pa.Scalar) and not arg.is_valid for arg in args):
        return pa.nulls(num_rows, arrow_type)
    columns = [index for index, arg in enumerate(args) if not isinstance(arg, pa.Scalar)]
    if len(columns) == 1 and not takes_null and not pa.types.is_nested(args[columns[0]].type):
        constants = [arg.as_py() if isinstance(arg, pa.Scalar) else None for arg in args]
        (column,) = columns
        before, after = constants[:column], constants[column + 1 :]
        return map_distinct(args[column], lambda value: function(*before, value, *after), arrow_type)
    return from_plain(_by_row(function, args, num_rows, takes_null), arrow_type)


def _by_row(function: Callable[..., Any], args: Sequence[Any], num_rows: int, takes_null: bool) -> list[Any]:
    rows = zip(*(to_array(arg, num_rows).to_pylist() for arg in args), strict=True)
    hashable = not any(pa.types.is_nested(arg.type) for arg in args)
    seen: dict[tuple[Any, ...], Any] = {}
    results: list[Any] = []
    for row in rows:
        if not takes_null and None in row:
            results.append(None)
        elif not hashable:
            results.append(function(*row))
        else:
            if row not in seen:
                seen[row] = function(*row)
            results.append(seen[row])
    return results
