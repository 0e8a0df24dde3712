"""Pushes conditions with scalar subqueries below inner joins, to the side whose columns they use, before the subquery is decorrelated.

``FROM sales JOIN items … WHERE items.price > (SELECT AVG(price) FROM items AS other WHERE other.category = items.category)`` joins the
averages to the items, not to the sales. ``subquery_to_join`` calls this for every query it looks into.
"""

from __future__ import annotations

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations import FilterQueryOperation, JoinQueryOperation, JoinType, QueryOperation, SubqueryExpression, is_outer
from table_api.plan.rules.push_filter_down import on_side
from table_common.expressions import ResolvedExpression, conjunction, conjuncts, is_deterministic, references
from table_common.frozen_dataclass import replace
from table_common.tree import nodes_of, transform_down


def lower_scalar_queries(root: QueryOperation) -> QueryOperation:
    """Returns the plan with such conditions pushed down as far as possible; the plan itself if there are none."""
    return transform_down(root, QueryOperation, _push, of=FilterQueryOperation)


def _push(node: FilterQueryOperation) -> QueryOperation:
    join = node.child
    if not isinstance(join, JoinQueryOperation) or join.join_type is not JoinType.INNER:
        return node
    width = len(join.left.resolved_schema.columns)
    left, right, rest = [], [], []
    for part in conjuncts(node.condition):
        sides = {position < width for _, position in references([part])}
        if len(sides) != 1 or not _is_movable(part):
            rest.append(part)
        elif sides == {True}:
            left.append(on_side(part, join, 0))
        else:
            right.append(on_side(part, join, width))
    if not left and not right:
        return node
    lowered = replace(
        join,
        left=FilterQueryOperation(conjunction(left), join.left) if left else join.left,
        right=FilterQueryOperation(conjunction(right), join.right) if right else join.right,
    )
    return FilterQueryOperation(conjunction(rest), lowered) if rest else lowered


def _is_movable(part: ResolvedExpression) -> bool:
    queries = nodes_of(part, ResolvedExpression, SubqueryExpression)
    return bool(queries) and all(query.kind is SubqueryKind.SCALAR for query in queries) and is_deterministic([part]) and not is_outer(part)
