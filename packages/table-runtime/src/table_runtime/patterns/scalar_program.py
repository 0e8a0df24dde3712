"""Compiles conditions over values of several rows to Python source, because they are evaluated once per row and partial match.

Only expressions with exactly the results of the kernels are translated: logic, comparisons of values of one kind, and sums, differences and
products of integers. Other expressions, and values for which the results could differ, are evaluated by the kernels on a batch of one row.
The source contains names of values and operators only, no text of the user.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic, comparison, logic
from table_runtime.expressions.literal import to_arrow_scalar

MOST_NESTED = 40


class NeedsKernels(Exception):
    """Control flow, not an error: only the kernels compute the correct result for the current values."""


def to_python_values(array: pa.Array) -> list[Any] | None:
    """Returns values that Python compares as SQL does; None for other types."""
    kind = _kind(array.type)
    if kind is None:
        return None
    if kind.startswith("ticks"):
        array = pc.cast(array, pa.int32() if array.type.bit_width == 32 else pa.int64())
    values: list[Any] = array.to_pylist()
    return values


def condition_source(expression: ResolvedExpression, column: Callable[[int], str]) -> tuple[str, dict[str, Any]] | None:
    """Returns source that is true if the condition is TRUE, and the values of the names in it.

    ``column`` returns the source of a column's value, in which NULL is None. Returns None if only the kernels can evaluate the condition.
    """
    writer = _Writer(column)
    source = writer.truth(expression, expected=True)
    return None if source is None else (source, writer.names)


_COMPARISONS: dict[FunctionDefinition, str] = {
    comparison.EQUALS: "==",
    comparison.NOT_EQUALS: "!=",
    comparison.LESS_THAN: "<",
    comparison.LESS_THAN_OR_EQUAL: "<=",
    comparison.GREATER_THAN: ">",
    comparison.GREATER_THAN_OR_EQUAL: ">=",
}
_ARITHMETIC: dict[FunctionDefinition, Callable[[Any, Any], Any]] = {
    arithmetic.PLUS: operator.add,
    arithmetic.MINUS: operator.sub,
    arithmetic.TIMES: operator.mul,
}


class _Writer:
    def __init__(self, column: Callable[[int], str]) -> None:
        self._column = column
        self.names: dict[str, Any] = {}
        self._temporaries = 0
        self._depth = 0

    def truth(self, node: ResolvedExpression, *, expected: bool) -> str | None:
        """Returns source that is true if the node's value is ``expected``, TRUE or FALSE."""
        self._depth += 1
        try:
            return self._truth(node, expected) if self._depth <= MOST_NESTED else None
        finally:
            self._depth -= 1

    def _truth(self, node: ResolvedExpression, expected: bool) -> str | None:
        if not isinstance(node, CallExpression):
            value = self._value(node) if _kind_of(node) == "boolean" else None
            return None if value is None else f"({value}) is {expected}"
        function = node.function
        if function is logic.NOT:
            return self.truth(node.args[0], expected=not expected)
        if function in (logic.AND, logic.OR):
            parts = [self.truth(arg, expected=expected) for arg in node.args]
            joined = " and " if (function is logic.AND) is expected else " or "
            return None if None in parts else "(" + joined.join(filter(None, parts)) + ")"
        if function in (comparison.IS_NULL, comparison.IS_NOT_NULL):
            value = self._value(node.args[0])
            sign = "is" if (function is comparison.IS_NULL) is expected else "is not"
            return None if value is None else f"({value}) {sign} None"
        if function in _COMPARISONS and len(node.args) == 2:
            return self._compared(node, expected)
        return None

    def _compared(self, node: CallExpression, expected: bool) -> str | None:
        kinds = {_kind_of(arg) for arg in node.args}
        left, right = map(self._value, node.args)
        if left is None or right is None or len(kinds) != 1 or None in kinds:
            return None
        left_name, right_name = self._temporary(), self._temporary()
        compared = f"{left_name} {_COMPARISONS[node.function]} {right_name}"
        if kinds == {"float"}:
            self.names["needs_kernels"] = _needs_kernels
            is_number = f"({left_name} == {left_name} and {right_name} == {right_name} or needs_kernels())"
            compared = f"{is_number} and {compared if expected else f'not ({compared})'}"
        elif not expected:
            compared = f"not ({compared})"
        return f"(({left_name} := {left}) is not None and ({right_name} := {right}) is not None and {compared})"

    def _value(self, node: ResolvedExpression) -> str | None:
        match node:
            case FieldReferenceExpression():
                return None if _kind_of(node) is None else self._column(node.field_index)
            case ValueLiteralExpression():
                return self._constant(node)
            case CallExpression() if node.function in _ARITHMETIC and len(node.args) == 2 and self._depth < MOST_NESTED:
                return self._computed(node)
            case _:
                return None

    def _constant(self, node: ValueLiteralExpression) -> str | None:
        try:
            values = to_python_values(pa.repeat(to_arrow_scalar(node), 1))
        except (pa.ArrowException, TableException):
            return None
        if values is None:
            return "None" if node.value is None else None
        return self._name(values[0])

    def _computed(self, node: CallExpression) -> str | None:
        if {_kind_of(node), *map(_kind_of, node.args)} != {"integer"}:
            return None
        self._depth += 1
        left, right = map(self._value, node.args)
        self._depth -= 1
        if left is None or right is None:
            return None
        compute = self._name(_within(_ARITHMETIC[node.function], to_arrow_type(node.output_type).bit_width))
        return f"{compute}({left}, {right})"

    def _name(self, value: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"


def _within(compute: Callable[[Any, Any], Any], bits: int) -> Callable[[Any, Any], Any]:
    limit = 1 << (bits - 1)

    def run(left: int | None, right: int | None) -> Any:
        if left is None or right is None:
            return None
        result = compute(left, right)
        if not -limit <= result < limit:
            raise NeedsKernels
        return result

    return run


def _needs_kernels() -> bool:
    raise NeedsKernels


def _kind_of(expression: ResolvedExpression) -> str | None:
    return _kind(to_arrow_type(expression.output_type))


def _kind(type_: pa.DataType) -> str | None:
    """Returns the kind of the type's values: values of the same kind can be compared. None: not supported."""
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
