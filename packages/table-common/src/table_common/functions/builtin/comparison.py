"""Comparison operators. They are infallible, and NULL if an operand is NULL, except for the operators that test for NULL."""

from __future__ import annotations

from table_common.functions.builtin.declarations import ANY_OR_NULL, infix, operator, postfix, returns
from table_common.functions.definition import FunctionDefinition
from table_common.inference.comparable import comparable, in_list
from table_common.inference.input_strategies import sig
from table_common.inference.type_strategies import explicit
from table_common.types.logical import BooleanType

_TRUTH = returns(BooleanType())
_SURE = explicit(BooleanType(nullable=False))
_EQUAL = comparable(2, reads_temporal_text=True)
_ORDERED = comparable(2, ordered=True, reads_temporal_text=True)

EQUALS = operator("EQUALS", _EQUAL, _TRUTH, infix("="))
NOT_EQUALS = operator("NOT_EQUALS", _EQUAL, _TRUTH, infix("<>"))
LESS_THAN = operator("LESS_THAN", _ORDERED, _TRUTH, infix("<"))
LESS_THAN_OR_EQUAL = operator("LESS_THAN_OR_EQUAL", _ORDERED, _TRUTH, infix("<="))
GREATER_THAN = operator("GREATER_THAN", _ORDERED, _TRUTH, infix(">"))
GREATER_THAN_OR_EQUAL = operator("GREATER_THAN_OR_EQUAL", _ORDERED, _TRUTH, infix(">="))
IS_DISTINCT_FROM = operator("IS_DISTINCT_FROM", _EQUAL, _SURE, infix("IS DISTINCT FROM"))
IS_NOT_DISTINCT_FROM = operator("IS_NOT_DISTINCT_FROM", _EQUAL, _SURE, infix("IS NOT DISTINCT FROM"))
IS_NULL = operator("IS_NULL", sig(ANY_OR_NULL), _SURE, postfix("IS NULL"))
IS_NOT_NULL = operator("IS_NOT_NULL", sig(ANY_OR_NULL), _SURE, postfix("IS NOT NULL"))
BETWEEN = operator(
    "BETWEEN", comparable(3, ordered=True, reads_temporal_text=True), _TRUTH, lambda a: f"({a[0]} BETWEEN {a[1]} AND {a[2]})"
)
NOT_BETWEEN = operator(
    "NOT_BETWEEN", comparable(3, ordered=True, reads_temporal_text=True), _TRUTH, lambda a: f"({a[0]} NOT BETWEEN {a[1]} AND {a[2]})"
)
IN = operator("IN", in_list(), _TRUTH, lambda a: f"({a[0]} IN ({', '.join(a[1:])}))")
NOT_IN = operator("NOT_IN", in_list(), _TRUTH, lambda a: f"({a[0]} NOT IN ({', '.join(a[1:])}))")

MIRRORED: dict[FunctionDefinition, FunctionDefinition] = {
    EQUALS: EQUALS,
    NOT_EQUALS: NOT_EQUALS,
    LESS_THAN: GREATER_THAN,
    LESS_THAN_OR_EQUAL: GREATER_THAN_OR_EQUAL,
    GREATER_THAN: LESS_THAN,
    GREATER_THAN_OR_EQUAL: LESS_THAN_OR_EQUAL,
}
"""Comparison → the one that is equal to it with its operands exchanged."""
