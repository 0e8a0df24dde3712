"""Comparing row constructors field by field, as SQL does: a NULL field makes the result unknown unless another field differs.

Rows that are values (a column, the result of a function) are compared as values by the engines, where NULL equals NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_common.expressions import CallExpression, ResolvedExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import BUILT_INS_BY_NAME

_ROW = BUILT_INS_BY_NAME["ROW"]
_EQUALS, _NOT_EQUALS = BUILT_INS_BY_NAME["EQUALS"], BUILT_INS_BY_NAME["NOT_EQUALS"]
_IN, _NOT_IN = BUILT_INS_BY_NAME["IN"], BUILT_INS_BY_NAME["NOT_IN"]
_AND, _OR, _NOT = BUILT_INS_BY_NAME["AND"], BUILT_INS_BY_NAME["OR"], BUILT_INS_BY_NAME["NOT"]
_COMPARISONS = frozenset({_EQUALS, _NOT_EQUALS, _IN, _NOT_IN})
_NEGATED = frozenset({_NOT_EQUALS, _NOT_IN})

_TypedCall = Callable[[FunctionDefinition, Sequence[ResolvedExpression]], ResolvedExpression]


def compare_rows(
    definition: FunctionDefinition, arguments: Sequence[ResolvedExpression], typed_call: _TypedCall
) -> ResolvedExpression | None:
    """Returns a comparison of row constructors as comparisons of their fields; None for any other call.

    The argument types have been checked. ``typed_call`` types a call, and expands comparisons of nested row constructors.
    """
    if definition not in _COMPARISONS or not (_is_row(arguments[0]) and any(map(_is_row, arguments[1:]))):
        return None
    if definition in (_IN, _NOT_IN) and not any(_may_be_null(argument) for argument in arguments):
        return None  # two-valued: engines look the value up in the list
    value, *candidates = arguments

    def equals(candidate: ResolvedExpression) -> ResolvedExpression:
        if not _is_row(candidate):
            return typed_call(_EQUALS, (value, candidate))
        return _joined(_AND, [typed_call(_EQUALS, pair) for pair in zip(value.children, candidate.children, strict=True)], typed_call)

    # Differs from Flink: `(1, NULL) <> (1, 2)` is NULL, as `NOT ((1, NULL) = (1, 2))` is; Flink gives TRUE.
    test = _joined(_OR, [equals(candidate) for candidate in candidates], typed_call)
    return typed_call(_NOT, [test]) if definition in _NEGATED else test


def _is_row(expression: ResolvedExpression) -> bool:
    return isinstance(expression, CallExpression) and expression.function is _ROW


def _may_be_null(row: ResolvedExpression) -> bool:
    """Returns whether a field of the row constructor, or of one nested in it, may be NULL."""
    if not _is_row(row):
        return True
    return any(_may_be_null(field) if _is_row(field) else field.output_type.nullable for field in row.children)


def _joined(definition: FunctionDefinition, tests: Sequence[ResolvedExpression], typed_call: _TypedCall) -> ResolvedExpression:
    return tests[0] if len(tests) == 1 else typed_call(definition, tests)
