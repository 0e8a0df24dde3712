"""The algebra of predicates: conjuncts, substitution of column references, determinism; used by rewrites and engines alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from table_common.expressions.expression import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions.builtin import logic
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind
from table_common.tree import fold, preorder, transform_up
from table_common.types import BooleanType


def conjuncts(condition: ResolvedExpression) -> list[ResolvedExpression]:
    """Returns the distinct conjuncts of a predicate, flattened; the predicate itself if it is not an AND.

    Example:
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> [str(part) for part in conjuncts(conjunction([a, b]))]
        ['a', 'b']
    """
    return _parts(condition, logic.AND)


def disjuncts(condition: ResolvedExpression) -> list[ResolvedExpression]:
    """Returns the distinct disjuncts of a predicate, flattened; the predicate itself if it is not an OR.

    Example:
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> [str(part) for part in disjuncts(disjunction([a, b]))]
        ['a', 'b']
    """
    return _parts(condition, logic.OR)


def _parts(condition: ResolvedExpression, function: FunctionDefinition) -> list[ResolvedExpression]:
    if not isinstance(condition, CallExpression) or condition.function is not function:
        return [condition]
    result: dict[ResolvedExpression, None] = {}
    stack: list[ResolvedExpression] = [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, CallExpression) and node.function is function:
            stack.extend(reversed(node.args))
        else:
            result[node] = None
    return list(result)


def conjunction(parts: Sequence[ResolvedExpression]) -> ResolvedExpression:
    """Returns the AND of one or more conjuncts.

    Example:
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> str(conjunction([a, b])), str(conjunction([a]))
        ('(a AND b)', 'a')
    """
    return _joined(parts, logic.AND)


def disjunction(parts: Sequence[ResolvedExpression]) -> ResolvedExpression:
    """Returns the OR of one or more disjuncts.

    Example:
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> str(disjunction([a, b]))
        '(a OR b)'
    """
    return _joined(parts, logic.OR)


def _joined(parts: Sequence[ResolvedExpression], function: FunctionDefinition) -> ResolvedExpression:
    if len(parts) == 1:
        return parts[0]
    nullable = any(part.output_type.nullable for part in parts)
    return CallExpression(function, tuple(parts), BooleanType(nullable=nullable))


def field_references(expression: ResolvedExpression) -> list[FieldReferenceExpression]:
    """Returns the column references of the expression; those of a shared subexpression once.

    Example:
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> [column.name for column in field_references(conjunction([a, b]))]
        ['a', 'b']
    """
    return [node for node in preorder(expression, ResolvedExpression) if isinstance(node, FieldReferenceExpression)]


def references(expressions: Iterable[ResolvedExpression]) -> set[tuple[int, int]]:
    """Returns (input, position) of every column used.

    Example:
        >>> a = FieldReferenceExpression("a", BooleanType(), 0, 3)
        >>> references([a, conjunction([a, a])])
        {(0, 3)}
    """
    found: set[tuple[int, int]] = set()
    for expression in expressions:
        nodes = (expression,) if isinstance(expression, FieldReferenceExpression) else preorder(expression, ResolvedExpression)
        found.update((node.input_index, node.field_index) for node in nodes if isinstance(node, FieldReferenceExpression))
    return found


def calls_of(function: FunctionDefinition, expressions: Iterable[ResolvedExpression]) -> list[CallExpression]:
    """Returns the calls of a function in the expressions, calls in arguments included.

    Example:
        >>> from table_common.types import BooleanType
        >>> a = FieldReferenceExpression("a", BooleanType(), 0, 0)
        >>> [str(call) for call in calls_of(logic.NOT, [CallExpression(logic.NOT, (a,), BooleanType())])]
        ['(NOT a)']
    """
    return [
        part
        for expression in expressions
        for part in preorder(expression, ResolvedExpression)
        if isinstance(part, CallExpression) and part.function is function
    ]


def map_references(expression: ResolvedExpression, change: Callable[[FieldReferenceExpression], ResolvedExpression]) -> ResolvedExpression:
    """Returns the expression with every column reference replaced.

    Example:
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> str(map_references(conjunction([a, b]), lambda column: a))
        '(a AND a)'
    """
    if isinstance(expression, FieldReferenceExpression):  # most are
        return change(expression)
    return transform_up(expression, ResolvedExpression, lambda node: change(node) if isinstance(node, FieldReferenceExpression) else node)


def remap(expression: ResolvedExpression, positions: Mapping[int, int]) -> ResolvedExpression:
    """Returns the expression with new column positions; the mapping is from old to new positions.

    Example:
        >>> a = FieldReferenceExpression("a", BooleanType(), 0, 3)
        >>> remap(a, {3: 0}).field_index
        0
    """

    def change(reference: FieldReferenceExpression) -> ResolvedExpression:
        position = positions[reference.field_index]
        if position == reference.field_index:
            return reference
        return FieldReferenceExpression(reference.name, reference.output_type, reference.input_index, position)

    return map_references(expression, change)


def named_texts(expressions: Sequence[ResolvedExpression], names: Sequence[str]) -> list[str]:
    """Returns expressions with their names, as plans show a projection: a column that keeps its name stands alone.

    Example:
        >>> from table_common.types import IntType
        >>> named_texts([FieldReferenceExpression("a", IntType(), 0, 0)] * 2, ["a", "b"])
        ['a', 'a AS b']
    """
    return [
        name if isinstance(expression, FieldReferenceExpression) and expression.name == name else f"{expression} AS {name}"
        for expression, name in zip(expressions, names, strict=True)
    ]


def is_deterministic(expressions: Iterable[ResolvedExpression]) -> bool:
    """Returns whether all calls in the expressions are deterministic.

    Example:
        >>> from table_common.functions.builtin import math
        >>> from table_common.types import DoubleType
        >>> is_deterministic([CallExpression(math.RAND, (), DoubleType())])
        False
    """
    return all(
        node.function.is_deterministic
        for expression in expressions
        if not isinstance(expression, FieldReferenceExpression)
        for node in preorder(expression, ResolvedExpression)
        if isinstance(node, CallExpression)
    )


def is_constant(expression: ResolvedExpression) -> bool:
    """Returns whether an expression has only literals and calls of deterministic built-in scalar functions.

    Example:
        >>> from table_common.types import BooleanType
        >>> is_constant(FieldReferenceExpression("a", BooleanType(), 0, 0))
        False
    """
    return all(
        isinstance(node, (ValueLiteralExpression, TypeLiteralExpression))
        or (
            isinstance(node, CallExpression)
            and isinstance(node.function, BuiltInFunctionDefinition)
            and node.function.kind is FunctionKind.SCALAR
            and node.function.is_deterministic
        )
        for node in preorder(expression, ResolvedExpression)
    )


def written_size(expression: ResolvedExpression) -> int:
    """Returns the number of nodes of the expression as text; a shared subexpression counts each time.

    Example:
        >>> a = FieldReferenceExpression("a", BooleanType(), 0, 0)
        >>> written_size(conjunction([a, a]))
        3
    """

    def combine(node: ResolvedExpression, children: Sequence[int]) -> int:
        return 1 + sum(children)

    return fold(expression, ResolvedExpression, combine)


def depth_of(expression: ResolvedExpression) -> int:
    """Returns the nesting depth of the expression.

    Example:
        >>> a = FieldReferenceExpression("a", BooleanType(), 0, 0)
        >>> depth_of(conjunction([a, disjunction([a, a])]))
        3
    """

    def combine(node: ResolvedExpression, children: Sequence[int]) -> int:
        return 1 + max(children, default=0)

    return fold(expression, ResolvedExpression, combine)
