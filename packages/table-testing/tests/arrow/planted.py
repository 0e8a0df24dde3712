"""Which error is planted in the connector of ``ledger.py``, and how conditions are misread by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import comparison, logic, strings
from table_common.tree import transform_up
from table_testing.conditions import is_true

Row = tuple[Any, ...]
_PLANTED: list[str] = []


def plant(bug: str | None) -> None:
    """Makes the connector wrong in one way; None: right again."""
    _PLANTED[:] = [] if bug is None else [bug]


def has(bug: str) -> bool:
    return bug in _PLANTED


# --- conditions -----------------------------------------------------------------------------------------------------------------------


def fulfills(row: Row, conditions: Sequence[ResolvedExpression]) -> bool:
    """Returns whether the row fulfills all conditions, as the planted error reads them."""
    return all(is_true(transform_up(condition, ResolvedExpression, _misread), row) for condition in conditions)


def _misread(node: ResolvedExpression) -> ResolvedExpression:
    bug = _PLANTED[0] if _PLANTED else None
    if bug is None:
        return node
    if isinstance(node, ValueLiteralExpression) and bug == "constants are truncated" and isinstance(node.value, Decimal):
        return replace(node, value=int(node.value))
    if not isinstance(node, CallExpression) or bug not in MISREADINGS:
        return node
    return MISREADINGS[bug](node)


def _with(function: Any, new: Any) -> Callable[[CallExpression], ResolvedExpression]:
    return lambda node: replace(node, function=new) if node.function is function else node


def _flipped(node: CallExpression) -> ResolvedExpression:
    compares = node.function in (comparison.LESS_THAN, comparison.LESS_THAN_OR_EQUAL, comparison.GREATER_THAN)
    return replace(node, args=node.args[::-1]) if compares and isinstance(node.args[0], ValueLiteralExpression) else node


def _args(function: Any, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Callable[[CallExpression], ResolvedExpression]:
    return lambda node: replace(node, args=change(node.args)) if node.function is function else node


def _without_null(node: CallExpression) -> ResolvedExpression:
    if node.function is not comparison.NOT_IN:
        return node
    return replace(node, args=tuple(a for a in node.args if not isinstance(a, ValueLiteralExpression) or a.value is not None))


def _not_is_distinct(node: CallExpression) -> ResolvedExpression:
    if node.function is not logic.NOT or not isinstance(node.args[0], CallExpression) or node.args[0].function is not comparison.EQUALS:
        return node
    return replace(node.args[0], function=comparison.IS_DISTINCT_FROM)


def _open_above(node: CallExpression) -> ResolvedExpression:
    if node.function is not comparison.BETWEEN:
        return node
    value, low, high = node.args
    at_least = replace(node, function=comparison.GREATER_THAN_OR_EQUAL, args=(value, low))
    return replace(node, function=logic.AND, args=(at_least, replace(node, function=comparison.LESS_THAN, args=(value, high))))


def _text(pattern: str) -> Callable[[CallExpression], ResolvedExpression]:
    """Reads an equality with text as LIKE with a pattern around it."""

    def misread(node: CallExpression) -> ResolvedExpression:
        constant = node.args[-1]
        if (
            node.function is not comparison.EQUALS
            or not isinstance(constant, ValueLiteralExpression)
            or not isinstance(constant.value, str)
        ):
            return node
        return replace(node, function=strings.LIKE, args=(node.args[0], replace(constant, value=pattern.format(constant.value.strip()))))

    return misread


def _any_case(node: CallExpression) -> ResolvedExpression:
    if node.function is not comparison.EQUALS:
        return node
    other = [
        replace(a, value=a.value.swapcase()) if isinstance(a, ValueLiteralExpression) and isinstance(a.value, str) else a for a in node.args
    ]
    return replace(node, function=logic.OR, args=(node, replace(node, args=tuple(other))))


MISREADINGS: Mapping[str, Callable[[CallExpression], ResolvedExpression]] = {
    "comparisons are flipped": _flipped,
    "IN looks at the first constant": _args(comparison.IN, lambda args: args[:2]),
    "NOT IN does without NULL": _without_null,
    "BETWEEN leaves out the upper bound": _open_above,
    "BETWEEN swaps its bounds": _args(comparison.BETWEEN, lambda args: (args[0], *args[:0:-1])),
    "<= is <": _with(comparison.LESS_THAN_OR_EQUAL, comparison.LESS_THAN),
    "NOT keeps NULL": _not_is_distinct,
    "OR is AND": _with(logic.OR, logic.AND),
    "= finds parts of text": _text("%{}%"),
    "= does without spaces at the end": _text("{}"),
    "= does without case": _any_case,
    "LIKE takes _ for any text": _args(
        strings.LIKE, lambda args: (args[0], replace(args[1], value=args[1].value and args[1].value.replace("_", "%")), *args[2:])
    ),
}
