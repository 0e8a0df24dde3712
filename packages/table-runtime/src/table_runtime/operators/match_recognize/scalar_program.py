"""Small expressions over values of different rows as Python functions, for conditions that are asked once per row and partial match.

Only what gives exactly the results of the kernels is translated: logic, comparisons of values of one kind, sums, differences and products
of integers. For everything else, and for values where the two could differ, the condition is computed by the kernels on a batch of one row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic, comparison, logic
from table_common.tree import fold
from table_runtime.expressions.literal import to_arrow_scalar

__all__ = ["NeedsKernels", "ScalarProgram", "compile_scalar", "to_python_values"]

ScalarProgram = Callable[[Sequence[Any]], Any]
"""From the values of the columns to the result, NULL being None."""
MOST_NESTED = 100


class NeedsKernels(Exception):  # not an error: the kernels compute the value instead
    """The values at hand are such that only the kernels give the right result."""


def to_python_values(array: pa.Array) -> list[Any] | None:
    """Returns the values as Python can compare them; None for types that it cannot."""
    kind = _kind(array.type)
    if kind is None:
        return None
    if kind.startswith("ticks"):
        array = pc.cast(array, pa.int32() if array.type.bit_width == 32 else pa.int64())
    values: list[Any] = array.to_pylist()
    return values


def compile_scalar(expression: ResolvedExpression) -> ScalarProgram | None:
    """Returns the function of an expression over column positions; None if only the kernels can compute it."""
    compiled = fold(expression, ResolvedExpression, _combine)
    return None if compiled is None or compiled[1] > MOST_NESTED else compiled[0]


_Compiled = tuple[ScalarProgram, int] | None
"""A function and how deeply its calls are nested."""


def _combine(node: ResolvedExpression, children: Sequence[_Compiled]) -> _Compiled:
    match node:
        case FieldReferenceExpression():
            if _kind_of(node) is None:
                return None
            return operator.itemgetter(node.field_index), 1
        case ValueLiteralExpression():
            return _constant(node)
        case CallExpression():
            if any(child is None for child in children):
                return None
            programs = [child[0] for child in children if child is not None]
            program = _call(node, programs)
            return None if program is None else (program, 1 + max(child[1] for child in children if child is not None))
        case _:
            return None


def _constant(node: ValueLiteralExpression) -> _Compiled:
    try:
        scalar = to_arrow_scalar(node)
    except (pa.ArrowException, TableException):
        return None
    values = to_python_values(pa.repeat(scalar, 1))
    if values is None:
        return (lambda _: None, 1) if node.value is None else None
    value = values[0]
    return (lambda _: value), 1


def _call(node: CallExpression, programs: Sequence[ScalarProgram]) -> ScalarProgram | None:
    function = node.function
    if function is logic.AND:
        return _logical(programs, False)
    if function is logic.OR:
        return _logical(programs, True)
    if function is logic.NOT:
        (program,) = programs
        return lambda values: None if (found := program(values)) is None else not found
    if function in (comparison.IS_NULL, comparison.IS_NOT_NULL):
        (program,) = programs
        wanted = function is comparison.IS_NULL
        return lambda values: (program(values) is None) is wanted
    kinds = {_kind_of(arg) for arg in node.args}
    if function in _COMPARISONS and len(programs) == 2 and len(kinds) == 1 and None not in kinds:
        return _compared(_COMPARISONS[function], programs, is_float=kinds == {"float"})
    if function in _ARITHMETIC and len(programs) == 2 and kinds == {"integer"} and _kind_of(node) == "integer":
        return _computed(_ARITHMETIC[function], programs, to_arrow_type(node.output_type).bit_width)
    return None


_COMPARISONS: dict[FunctionDefinition, Callable[[Any, Any], Any]] = {
    comparison.EQUALS: operator.eq,
    comparison.NOT_EQUALS: operator.ne,
    comparison.LESS_THAN: operator.lt,
    comparison.LESS_THAN_OR_EQUAL: operator.le,
    comparison.GREATER_THAN: operator.gt,
    comparison.GREATER_THAN_OR_EQUAL: operator.ge,
}
_ARITHMETIC: dict[FunctionDefinition, Callable[[Any, Any], Any]] = {
    arithmetic.PLUS: operator.add,
    arithmetic.MINUS: operator.sub,
    arithmetic.TIMES: operator.mul,
}


def _logical(programs: Sequence[ScalarProgram], decisive: bool) -> ScalarProgram:
    """AND (decided by false) or OR (decided by true); parts behind the deciding one are not computed."""

    def run(values: Sequence[Any]) -> Any:
        unknown = False
        for program in programs:
            found = program(values)
            if found is None:
                unknown = True
            elif found is decisive:
                return decisive
        return None if unknown else not decisive

    return run


def _compared(compare: Callable[[Any, Any], Any], programs: Sequence[ScalarProgram], *, is_float: bool) -> ScalarProgram:
    one, other = programs

    def run(values: Sequence[Any]) -> Any:
        left, right = one(values), other(values)
        if left is None or right is None:
            return None
        if is_float and (left != left or right != right):
            raise NeedsKernels
        return compare(left, right)

    return run


def _computed(compute: Callable[[Any, Any], Any], programs: Sequence[ScalarProgram], bits: int) -> ScalarProgram:
    one, other = programs
    limit = 1 << (bits - 1)

    def run(values: Sequence[Any]) -> Any:
        left, right = one(values), other(values)
        if left is None or right is None:
            return None
        result = compute(left, right)
        if not -limit <= result < limit:
            raise NeedsKernels
        return result

    return run


def _kind_of(expression: ResolvedExpression) -> str | None:
    return _kind(to_arrow_type(expression.output_type))


def _kind(type_: pa.DataType) -> str | None:
    """Returns what values are comparable with: those of the same kind."""
    if pa.types.is_boolean(type_):
        return "boolean"
    if pa.types.is_integer(type_):
        return "integer"
    if pa.types.is_float64(type_):
        return "float"
    if pa.types.is_string(type_):
        return "text"
    if pa.types.is_date32(type_) or pa.types.is_timestamp(type_):
        return f"ticks of {type_}"
    return None
