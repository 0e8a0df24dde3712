"""Factors common conjuncts out of OR: ``(a AND b) OR (a AND c)`` becomes ``a AND (b OR c)``.

An equality that all alternatives repeat then becomes a join key, and a common condition on one table is pushed to its scan.
"""

from __future__ import annotations

from table_api.operations import FilterQueryOperation, JoinQueryOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_common.expressions import ResolvedExpression, conjunction, conjuncts, disjunction, disjuncts, is_deterministic
from table_common.frozen_dataclass import replace
from table_common.tree import by_class, transform_up


def extract_common_conjuncts(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan with the conditions of filters and joins factored."""

    return transform_up(root, QueryOperation, _factored)


@by_class
def _factored(node: QueryOperation) -> QueryOperation:
    return node


@_factored.register(FilterQueryOperation, JoinQueryOperation)
def _with_factored_condition(node: FilterQueryOperation | JoinQueryOperation) -> QueryOperation:
    if node.condition is None:
        return node
    parts = conjuncts(node.condition)
    factored = [factor for part in parts for factor in _factors(part)]
    return node if factored == parts else replace(node, condition=conjunction(list(dict.fromkeys(factored))))


def _factors(part: ResolvedExpression) -> list[ResolvedExpression]:
    """Returns conjuncts that together are equivalent to ``part``."""
    alternatives = [conjuncts(alternative) for alternative in disjuncts(part)]
    if len(alternatives) == 1:
        return [part]
    others = [set(alternative) for alternative in alternatives[1:]]
    shared = [factor for factor in alternatives[0] if all(factor in other for other in others) and is_deterministic([factor])]
    if not shared:
        return [part]
    rests = [[factor for factor in alternative if factor not in shared] for alternative in alternatives]
    # An alternative without further conjuncts is implied by the common conjuncts.
    return shared if not all(rests) else [*shared, disjunction([conjunction(rest) for rest in rests])]
