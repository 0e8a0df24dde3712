"""Constant folding: evaluates constant expressions while planning, so that filters reach sources as plain comparisons."""

from __future__ import annotations

from table_api.operations import FilterQueryOperation, JoinQueryOperation, JoinType, QueryOperation, ValuesQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.simplification import is_true, simplified
from table_common.expressions import CallExpression, ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.functions import BuiltInFunctionDefinition, FunctionKind
from table_common.functions.builtin import conversion
from table_common.tree import by_class, map_children_of, transform_up


def fold_constants(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces calls of deterministic built-in functions on literals by their values, and simplifies conditions.

    CURRENT_DATABASE becomes the current database. A filter that is always true is removed; one that is never true becomes VALUES without
    rows. An expression whose evaluation fails stays, so that the error is raised only if a row reaches it. Rows of VALUES are left to the
    engine, and so are long values: the statement could have many of them.
    """
    current_database = conversion.CURRENT_DATABASE

    def database(node: ResolvedExpression) -> ResolvedExpression:
        if isinstance(node, CallExpression) and node.function is current_database:
            name = context.session.tables.qualify(("t",)).database_name
            return ValueLiteralExpression(name, node.output_type)
        return node

    def shorter(node: ResolvedExpression) -> ResolvedExpression:
        if isinstance(node, CallExpression) and node.function is current_database:
            return database(node)
        return _shorter(node, context)

    def change(node: QueryOperation) -> QueryOperation:
        if isinstance(node, ValuesQueryOperation) and all(type(cell) is ValueLiteralExpression for row in node.rows for cell in row):
            return node
        rewrite = database if isinstance(node, ValuesQueryOperation) else shorter
        return _without_idle_condition(
            map_children_of(node, ResolvedExpression, lambda expression: transform_up(expression, ResolvedExpression, rewrite))
        )

    return transform_up(root, QueryOperation, change)


MAX_FOLDED_SIZE = 16 << 20
"""Characters and bytes of all values of a statement that are computed while it is planned; the engine computes the others."""


def constant_of(expression: ResolvedExpression, context: RuleContext) -> ValueLiteralExpression | None:
    """Returns the value of an expression without columns as a literal, or None if it cannot be evaluated while planning."""
    folded = transform_up(expression, ResolvedExpression, lambda node: _shorter(node, context))
    return folded if isinstance(folded, ValueLiteralExpression) else None


def _shorter(node: ResolvedExpression, context: RuleContext) -> ResolvedExpression:
    """Returns a call, whose arguments are folded already, as its value or in a simplified form."""
    if not isinstance(node, CallExpression):
        return node
    if not _is_constant(node) or context.planner is None:
        return simplified(node)
    if context.folded_size > MAX_FOLDED_SIZE:
        return node
    folded = context.planner.expressions.constant_value(node)
    if folded is None:
        return node
    if isinstance(folded.value, (str, bytes)):
        context.folded_size += len(folded.value)
    return folded


_JSON_DOCUMENTS = frozenset({"JSON", "JSON_ARRAY", "JSON_OBJECT"})
"""Built-in functions whose result JSON_OBJECT and JSON_ARRAY embed as JSON; a literal would be embedded as a quoted string."""


def _is_constant(call: CallExpression) -> bool:
    function = call.function
    return (
        isinstance(function, BuiltInFunctionDefinition)
        and function.kind is FunctionKind.SCALAR
        and function.is_deterministic
        and function.name not in _JSON_DOCUMENTS
        and all(isinstance(arg, (ValueLiteralExpression, TypeLiteralExpression)) for arg in call.args)
    )


@by_class
def _without_idle_condition(node: QueryOperation) -> QueryOperation:
    return node


@_without_idle_condition.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation) -> QueryOperation:
    if not isinstance(node.condition, ValueLiteralExpression):
        return node
    return node.child if is_true(node.condition) else ValuesQueryOperation((), node.resolved_schema)


@_without_idle_condition.register(JoinQueryOperation)
def _join(node: JoinQueryOperation) -> QueryOperation:
    is_idle = node.join_type is JoinType.INNER and node.condition is not None and is_true(node.condition)
    return replace(node, condition=None) if is_idle else node
