"""Join reordering: selective joins first, no cross products, and small inputs on the right, the build side of a join."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from table_api.operations import FilterQueryOperation, JoinQueryOperation, JoinType, ProjectQueryOperation, QueryOperation
from table_common.catalog import ObjectIdentifier
from table_common.connector.source import TableStats
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, conjunction
from table_common.functions.builtin import comparison
from table_common.tree import fold, map_children_of
from table_common.types import BooleanType
from table_runtime.expressions import EvaluationContext
from table_runtime.planner.rules.column_estimates import Estimate
from table_runtime.planner.rules.estimates import equal_columns, estimate, is_transitive
from table_runtime.planner.rules.join_chains import JoinChain, moved, written_chains
from table_runtime.planner.rules.join_search import JoinTree, cheapest_tree, written_tree
from table_runtime.planner.rules.join_sizes import JoinSizes

CLEARLY_BETTER = 0.8
"""A new order is used only if its cost is at most this fraction of the written order's, which is often intentional."""


def order_joins(
    root: QueryOperation,
    statistics: Callable[[ObjectIdentifier], TableStats],
    *,
    ask_sources: bool = True,
    evaluation: EvaluationContext | None = None,
) -> QueryOperation:
    """Returns an equivalent plan whose chains of joins run in the order with the lowest estimated cost."""
    chains = written_chains(root)
    if not chains:
        return root
    estimate_of = estimate(root, statistics, ask_sources=ask_sources, evaluation=evaluation)
    rewritten: dict[int, QueryOperation] = {}

    def combine(node: QueryOperation, children: Sequence[QueryOperation]) -> QueryOperation:
        result = node
        if any(new is not old for new, old in zip(children, node.children, strict=True)):
            replacements = iter(children)
            result = map_children_of(node, QueryOperation, lambda _: next(replacements))
        chain = chains.get(id(node))
        if chain is not None:
            estimates = [estimate_of(leaf.node) for leaf in chain.leaves]
            result = _reordered(result, chain, [rewritten[id(leaf.node)] for leaf in chain.leaves], estimates)
        rewritten[id(node)] = result
        return result

    return fold(root, QueryOperation, combine)


def _reordered(node: QueryOperation, chain: JoinChain, leaves: Sequence[QueryOperation], estimates: Sequence[Estimate]) -> QueryOperation:
    sizes = JoinSizes(chain, estimates)
    written = written_tree(chain, sizes)
    best = cheapest_tree(chain, sizes)
    if best is None or best.cost >= CLEARLY_BETTER * (written.cost if written is not None else math.inf):
        return node
    return _Building(chain, leaves, sizes).built(best, node)


class _Building:
    """Builds the joins of a tree; conditions stand where all of their inputs are joined."""

    def __init__(self, chain: JoinChain, leaves: Sequence[QueryOperation], sizes: JoinSizes) -> None:
        self._chain = chain
        self._leaves = leaves
        self._sizes = sizes
        self._first = next(index for index, leaf in enumerate(chain.leaves) if leaf.join_type is JoinType.INNER)

    def built(self, tree: JoinTree, node: QueryOperation) -> QueryOperation:
        """Returns the joins, below a projection that restores the columns of ``node``."""
        result, positions = self._build(tree)
        place = {position: index for index, position in enumerate(positions)}
        columns = zip(node.resolved_schema.columns, self._chain.output, strict=True)
        restored = tuple(FieldReferenceExpression(c.name, c.data_type, 0, place[position]) for c, position in columns)
        names = tuple(column.name for column in node.resolved_schema.columns)
        return ProjectQueryOperation(restored, names, result)

    def _build(self, tree: JoinTree) -> tuple[QueryOperation, list[int]]:
        """Returns a tree as a plan, and the positions in the chain of its columns."""
        if tree.left is None or tree.right is None:
            leaf = self._chain.leaves[tree.leaf]
            return self._filtered(tree.leaf), list(range(leaf.start, leaf.start + len(leaf.node.resolved_schema.columns)))
        left, left_positions = self._build(tree.left)
        right, right_positions = self._build(tree.right)
        place = {position: (0, index) for index, position in enumerate(left_positions)}
        place |= {position: (1, index) for index, position in enumerate(right_positions)}
        if tree.join_type is JoinType.INNER:
            conditions = self._completed(tree.left.members, tree.right.members)
        else:
            conditions = [condition.expression for condition in self._chain.leaves[tree.right.leaf].on]
        parts = [moved(condition, lambda reference: place[reference.field_index]) for condition in conditions]
        join = JoinQueryOperation(left, right, tree.join_type, conjunction(parts) if parts else None)
        is_left_only = tree.join_type in (JoinType.SEMI, JoinType.ANTI)
        return join, left_positions if is_left_only else [*left_positions, *right_positions]

    def _completed(self, left: int, right: int) -> list[ResolvedExpression]:
        """Returns the conditions that can be evaluated where two sets are joined, not below; equal columns of both sides are equated."""
        members = left | right
        chain = self._chain
        found = [c for c in chain.conditions if not c.about & ~members and c.about & ~left and c.about & ~right]
        result: list[ResolvedExpression] = []
        seen: set[int] = set()
        for condition in found:
            number = self._class_of(condition.expression)
            # Columns of one class are equal on each side already, those of one input by ``_filtered``.
            if number is None or number not in seen:
                result.append(condition.expression)
            if number is not None:
                seen.add(number)
        for number, columns in enumerate(self._sizes.transitive):
            one = [position for position in columns if left >> chain.leaf_of(position) & 1]
            other = [position for position in columns if right >> chain.leaf_of(position) & 1]
            if one and other and number not in seen:
                result.append(_equal(self._reference(one[0]), self._reference(other[0])))
        return result

    def _class_of(self, condition: ResolvedExpression) -> int | None:
        """Returns the class of columns that a condition equates; None for comparisons of another kind."""
        sides = equal_columns(condition) if is_transitive(condition) else None
        if sides is None:
            return None
        classes = enumerate(self._sizes.transitive)
        return next((number for number, columns in classes if sides[0] in columns and sides[1] in columns), None)

    def _filtered(self, index: int) -> QueryOperation:
        """Returns an input with the conditions about it alone; conditions about no column are the first input's.

        Columns of one class are equated, because a join with another input compares one of them only.
        """
        leaf, node = self._chain.leaves[index], self._leaves[index]
        own = [c.expression for c in self._chain.conditions if c.about == 1 << index or (not c.about and index == self._first)]
        for columns in self._sizes.transitive:
            mine = [position for position in columns if self._chain.leaf_of(position) == index]
            own += [_equal(self._reference(mine[0]), self._reference(other)) for other in mine[1:]]
        if not own:
            return node
        return FilterQueryOperation(conjunction([moved(one, lambda r: (0, r.field_index - leaf.start)) for one in own]), node)

    def _reference(self, position: int) -> FieldReferenceExpression:
        leaf = self._chain.leaves[self._chain.leaf_of(position)]
        column = leaf.node.resolved_schema.columns[position - leaf.start]
        return FieldReferenceExpression(column.name, column.data_type, 0, position)


def _equal(one: FieldReferenceExpression, other: FieldReferenceExpression) -> ResolvedExpression:
    nullable = one.output_type.nullable or other.output_type.nullable
    return CallExpression(comparison.EQUALS, (one, other), BooleanType(nullable=nullable))
